import { afterAll, describe, expect, it } from 'vitest';
import { FORMATS, type Format } from '../../../src/simulate/options.js';
import { cdmRecords, contents, makeSimulation, removeSimulations, uuidOf } from '../simulations.js';
import { auditTree, logLines, sysmonExecutions, tetragonEvent, tetragonExecutions } from './plain-readers.js';

afterAll(removeSimulations);

const EVENTS = 25_000;

describe.each(['linux-desktop', 'linux-workstation'] as const)('the world of %s', (scenario) => {
  const make = (format: Format) => makeSimulation({ scenario, format, events: EVENTS, seed: 5 });

  it('has the same processes in every format', async () => {
    const [cdm, auditd, sysmon, tetragon] = await Promise.all(
      (['cdm18', 'auditd', 'sysmon', 'tetragon'] as const).map(make),
    );
    const tree = auditTree(await logLines(auditd));
    expect(tree.executions.length).toBeGreaterThan(200);
    expect(sysmonExecutions(await logLines(sysmon))).toEqual(tree.executions);
    expect(tetragonExecutions(await logLines(tetragon))).toEqual(tree.executions);
    // Audit records a vfork after the execution in its child, so the forks are the same but not in the same order.
    expect(tree.forks.sort()).toEqual((await cdmForks(cdm.directory)).sort());

    const worlds = [cdm, auditd, sysmon, tetragon].map(({ manifest }) => manifest.hosts[0]);
    expect(new Set(worlds.map(({ processes }) => processes)).size).toBe(1);
    for (const { attacks } of worlds) {
      expect(attacks.map(({ steps }) => steps)).toEqual(worlds[0].attacks.map(({ steps }) => steps));
    }
  });

  it('makes the same calls, recorded or counted as not recorded', async () => {
    const calls = await Promise.all(
      (['auditd', 'sysmon', 'tetragon'] as const).map(async (format) => {
        const simulation = await make(format);
        const [host] = simulation.manifest.hosts;
        // Events without a call: logins, the start of Sysmon, and the processes that ran before Tetragon.
        const { login = 0, ServiceStateChange: state = 0 } = host.relations;
        const before = (await logLines(simulation)).filter(
          (line) => line.includes('"process_exec":{') && line.includes('"flags":"procFS'),
        );
        const running = before.filter((line) => tetragonEvent(line).process.flags.includes('procFS')).length;
        return sum(host.relations) - login - state - running + sum(host.unrecorded ?? {});
      }),
    );
    expect(calls[0]).toBeGreaterThan(EVENTS * 0.9);
    expect(new Set(calls).size).toBe(1);
  });
});

describe('a collected log', () => {
  it.each(FORMATS)('in %s has the same bytes for the same seed', async (format) => {
    const options = { scenario: 'linux-workstation', format, events: 20_000, seed: 9 } as const;
    const [a, b] = await Promise.all([makeSimulation(options), makeSimulation(options)]);
    const [ofA, ofB] = await Promise.all([contents(a.directory), contents(b.directory)]);
    expect([...ofA.keys()]).toEqual([...ofB.keys()]);
    for (const [name, bytes] of ofA) expect(bytes.equals(ofB.get(name) as Buffer), name).toBe(true);
  });

  it('is refused for a FreeBSD host', async () => {
    await expect(makeSimulation({ scenario: 'demo', format: 'auditd' })).rejects.toMatchObject({
      code: 'simulate-config',
      hint: expect.stringContaining('linux-desktop'),
    });
  });
});

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** `pid < parent` of every process that a CDM log shows to start. */
async function cdmForks(directory: string): Promise<string[]> {
  const records = (
    await Promise.all(['train', 'calibrate', 'test'].map((part) => cdmRecords(directory, `${part}.json`)))
  ).flat();
  const pids = new Map<string, number>();
  for (const { kind, body } of records) {
    if (kind === 'Subject' && body.type === 'SUBJECT_PROCESS')
      pids.set(body.uuid as string, body.cid as number);
  }
  return records
    .filter(({ kind, body }) => kind === 'Event' && /^EVENT_(FORK|CLONE)$/.test(body.type as string))
    .map(
      ({ body }) =>
        `${pids.get(uuidOf(body.predicateObject) ?? '')} < ${pids.get(uuidOf(body.subject) ?? '')}`,
    );
}
