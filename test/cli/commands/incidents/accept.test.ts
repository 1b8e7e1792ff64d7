import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acceptancesPath, readAcceptances } from '../../../../src/pipeline/acceptances.js';
import { newFolder } from '../../../folders.js';
import { answer, recal } from '../../recal-process.js';
import { here, type IncidentChanges, keyOf, writeEpisodeAlerts } from '../episode-alerts.js';

async function prepare(changes: readonly IncidentChanges[]) {
  const folder = newFolder();
  const { alerts, incidents } = await writeEpisodeAlerts(folder, changes);
  const model = join(folder, 'm.recal');
  writeFileSync(model, 'only its name is used');
  const run = (...args: string[]) => here(['accept', ...args, '--model', model, '--json']);
  return { folder, alerts, incidents, model, run };
}

describe('recal accept', () => {
  it('keeps who, why, when and what; undo is another line', async () => {
    const { alerts, incidents, model, run } = await prepare([{ name: 'one' }, { name: 'two' }]);
    const given = ['--alerts', alerts, '--reason', 'installed \u001b[2J', '--author', 'anna'];
    const { accepted } = answer(await run(incidents[0].id.slice(0, 8), ...given)) as never as {
      accepted: { id: string }[];
    };
    expect(accepted).toMatchObject([
      { incident: incidents[0].id, host: 'web1', author: 'anna', keys: [keyOf('one')], undone: null },
    ]);
    const before = readFileSync(acceptancesPath(model), 'utf8');
    expect(answer(await run('--undo', accepted[0].id.slice(0, 6), '--reason', 'mistake'))).toMatchObject({
      undone: { reason: 'mistake' },
    });
    expect(readFileSync(acceptancesPath(model), 'utf8').startsWith(before)).toBe(true);
    const list = await here(['accept', '--list', '--model', model]);
    expect(list.stdout).toContain('installed \\e[2J');
    expect(list.stdout).not.toContain('\u001b[2J');
    expect(await run('--undo', accepted[0].id, '--reason', 'again')).toMatchObject({ code: 2 });
  });

  it('accepting twice adds nothing, and closes the incident as benign', async () => {
    const { alerts, incidents, run } = await prepare([{ name: 'one' }]);
    const given = [incidents[0].id, '--alerts', alerts, '--reason', 'r'];
    expect(answer(await run(...given))).toMatchObject({ known: 0 });
    expect(answer(await run(...given))).toMatchObject({ accepted: [], known: 1 });
    const list = await here(['incidents', '--alerts', alerts, '--json']);
    expect(answer(list)).toMatchObject({
      incidents: [{ status: 'closed', verdict: { verdict: 'benign', note: 'accepted: r' } }],
    });
  });

  it('ages what was seen on several days or hosts, but no new address and nothing doubted', async () => {
    const days = ['2026-11-14', '2026-11-15', '2026-11-16'];
    const { alerts, incidents, run } = await prepare([
      { name: 'daily', days },
      { name: 'once' },
      { name: 'implant', days, newAddress: true },
      { name: 'doubted', days },
      { name: 'a', host: 'web1', keys: [keyOf('x'), keyOf('y')] },
      { name: 'b', host: 'web2', keys: [keyOf('x'), keyOf('y')] },
      { name: 'c', host: 'web3', keys: [keyOf('x'), keyOf('y'), keyOf('z')] },
    ]);
    await here(['triage', incidents[3].id, '--alerts', alerts, '--verdict', 'unsure']);
    const { accepted } = answer(await run('--aged', '3', '--alerts', alerts, '--reason', 'old')) as never as {
      accepted: { incident: string }[];
    };
    const names = new Map(incidents.map(({ id, root }) => [id, root.id]));
    expect(accepted.map(({ incident }) => names.get(incident))).toEqual(['daily', 'a', 'b', 'c']);
  });

  it('processes at the same time lose nothing, and a killed one leaves a line that is reported', async () => {
    const names = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5'];
    const { alerts, incidents, model } = await prepare(names.map((name) => ({ name })));
    const ended = await Promise.all(
      incidents.map(({ id }) =>
        recal(['accept', id, '--alerts', alerts, '--model', model, '--reason', 'r', '-q']),
      ),
    );
    expect(ended.map(({ code }) => code)).toEqual(names.map(() => 0));
    const all = await readAcceptances(model);
    expect(all.accepted.map(({ incident }) => incident).sort()).toEqual(incidents.map(({ id }) => id).sort());
    appendFileSync(acceptancesPath(model), '{"kind":"accept","ver');
    const list = await here(['accept', '--list', '--model', model]);
    expect(list.stderr).toContain('unfinished line');
    expect((await readAcceptances(model)).accepted).toHaveLength(6);
  });

  it('refuses a model that does not exist, because nothing would read the acceptance', async () => {
    const { alerts, incidents, model } = await prepare([{ name: 'one' }]);
    const wrong = model.replace('m.recal', 'n.recal');
    const ended = await here([
      'accept',
      incidents[0].id,
      '--alerts',
      alerts,
      '--model',
      wrong,
      '--reason',
      'r',
    ]);
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('n.recal does not exist')]);
    expect((await readAcceptances(wrong)).accepted).toEqual([]);
    const open = await here(['incidents', '--alerts', alerts, '--new']);
    expect(open.stdout).toContain('1 of 1 matching');
  });

  it('a changed line is an error, not fewer acceptances', async () => {
    const { alerts, incidents, model, run } = await prepare([{ name: 'one' }]);
    await run(incidents[0].id, '--alerts', alerts, '--reason', 'r');
    const path = acceptancesPath(model);
    writeFileSync(path, readFileSync(path, 'utf8').replace('web1', 'web2'));
    const ended = await here(['accept', '--list', '--model', model]);
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('checksum mismatch')]);
  });

  it.each([[[]], [['--list', '--undo', 'x']], [['abc']], [['abc', '--reason', 'r']]])(
    '%j is a usage error',
    async (args) => {
      expect(await here(['accept', ...args, '--model', 'm'])).toMatchObject({ code: 2 });
    },
  );
});
