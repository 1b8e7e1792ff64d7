import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commonTable } from '../../src/graph/relation-vocabulary.js';
import { loadEvents } from '../../src/store/load.js';
import { Store } from '../../src/store/store.js';
import { recal } from '../cli/recal-process.js';
import { sharedFolder } from '../folders.js';
import { auditFields, auditType, unquote } from '../simulate/collectors/plain-readers.js';
import { makeSimulation, removeSimulations } from '../simulate/simulations.js';
import { eventLine, file, MIDNIGHT, process, writeLog } from '../store/small-logs.js';

// A model of one format judges the same host in another.

afterAll(removeSimulations);

const WORLD = { scenario: 'linux-workstation', events: 30_000, seed: 3 } as const;

/** Writes audit text as laurel would: one object per event. */
function toLaurel(text: string): string {
  const events = new Map<string, Record<string, unknown>>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, id] = /msg=audit\(([\d.]+:\d+)\)/.exec(line) ?? [];
    const node = /^node=(\S+) /.exec(line)?.[1];
    const event = events.get(id) ?? { ID: id, ...(node !== undefined && { NODE: node }) };
    events.set(id, event);
    const type = auditType(line);
    const fields = auditFields(line);
    fields.delete('msg');
    const texts = new Set(['comm', 'exe', 'cwd', 'name', 'key', 'ocomm']);
    const record = Object.fromEntries(
      [...fields].map(([key, value]) => [
        key,
        texts.has(key) && value !== '(null)' ? encoded(unquote(value)) : value,
      ]),
    );
    if (type === 'EXECVE')
      event.EXECVE = {
        argc: record.argc,
        ARGV: [...fields].filter(([key]) => /^a\d+$/.test(key)).map(([, value]) => encoded(unquote(value))),
      };
    else if (type === 'PROCTITLE')
      event.PROCTITLE = { ARGV: unquote(fields.get('proctitle')).split('\0').map(encoded) };
    else if (type === 'PATH' || type === 'SOCKADDR' || type === 'OBJ_PID')
      event[type] = [...((event[type] as unknown[]) ?? []), record];
    else event[type] = record;
  }
  return [...events.values()].map((event) => `${JSON.stringify(event)}\n`).join('');
}

/** laurel writes `%` and `+` as bytes too. */
function encoded(text: string): string {
  return text.replace(/[%+]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

async function run(...args: string[]): Promise<string> {
  const ended = await recal([...args, '--quiet']);
  expect(ended.code, ended.stderr).toBe(0);
  return ended.stdout;
}

interface AlertLine {
  entity: { name: string | null };
  reasons: string[];
  sentence: string;
  score: number;
}

describe('a model of auditd text', () => {
  const folder = sharedFolder();
  const at = (name: string): string => join(folder, name);
  const alertsOf = (name: string): AlertLine[] =>
    readFileSync(join(at(name), 'alerts.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AlertLine);

  beforeAll(async () => {
    const { directory } = await makeSimulation({ ...WORLD, format: 'auditd' });
    for (const split of ['train', 'calibrate', 'test']) {
      const append = split === 'train' ? [] : ['--append'];
      await run('ingest', join(directory, `${split}.log`), '--store', at('audit'), '--as', split, ...append);
    }
    // A store of its own, as for laurel: without what the audit log showed before.
    await run('ingest', join(directory, 'test.log'), '--store', at('text'), '--as', 'test');
    writeFileSync(at('laurel.json'), toLaurel(readFileSync(join(directory, 'test.log'), 'utf8')));
    await run('ingest', at('laurel.json'), '--store', at('laurel'), '--as', 'test', '--format', 'laurel');
    const model = ['--model', at('model.recal')];
    await run('train', '--store', at('audit'), '--split', 'train', ...model, '--epochs', '3');
    await run('calibrate', '--store', at('audit'), '--split', 'calibrate', ...model);
    for (const name of ['text', 'laurel'])
      await run('detect', '--store', at(name), '--split', 'test', ...model, '--out', at(`${name}-alerts`));
  }, 300_000);

  it('judges laurel JSON of the same host as it judges the text', () => {
    const alerts = alertsOf('text-alerts');
    expect(alerts.length).toBeGreaterThan(0);
    const told = ({ entity, score, reasons, sentence }: AlertLine) => [entity.name, score, reasons, sentence];
    expect(alertsOf('laurel-alerts').map(told)).toEqual(alerts.map(told));
  });

  it('detect warns if the model knows few of the relations', async () => {
    const log = writeLog(
      folder,
      'other.ndjson',
      Array.from({ length: 50 }, (_, i) =>
        eventLine({
          ts: MIDNIGHT + BigInt(i),
          rel: 'TELEPORT',
          subj: process(`p${i % 5}`),
          obj: file(`/f${i}`),
        }),
      ),
    );
    await run('ingest', log, '--store', at('other'), '--as', 'test');
    const detectIn = (store: string) =>
      recal(
        [
          'detect',
          '--store',
          at(store),
          '--split',
          'test',
          '--model',
          at('model.recal'),
          '--out',
          at('again'),
        ].concat('--quiet'),
      );
    const warning = 'have relations that training never saw';
    expect((await detectIn('other')).stderr).toContain(`100 % of the scored entities ${warning}`);
    expect((await detectIn('text')).stderr).not.toContain(warning);
  });

  it('knows the relations of Tetragon that both record in the common vocabulary, and few in that of the source', async () => {
    const { directory } = await makeSimulation({ ...WORLD, format: 'tetragon' });
    await run('ingest', join(directory, 'test.json'), '--store', at('tetragon'), '--as', 'test');
    const tables = await Promise.all(
      ['audit', 'tetragon'].map(async (name) => (await loadEvents(await Store.open(at(name)))).table),
    );
    const [own, other] = tables.map(({ relations }) => new Set(relations));
    const shared = [...other].filter((relation) => own.has(relation));
    expect(shared.length / other.size).toBeLessThan(0.5);
    const [known, seen] = tables.map((table) => new Set(commonTable(table).relations));
    // The audit rules record neither mappings nor where a connection was opened.
    expect([...seen].filter((relation) => !known.has(relation))).toEqual(['mmap', 'open']);
  });
});
