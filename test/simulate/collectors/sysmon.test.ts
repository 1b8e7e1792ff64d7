import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSimulation, removeSimulations, type TestSimulation } from '../simulations.js';
import { logLines, sysmonData, sysmonId } from './plain-readers.js';

afterAll(removeSimulations);

const samples = ['sysmon-linux-xml.log', 'otrf-linux-sysmon-syslog-log4shell.json'].map((name) =>
  fileURLToPath(new URL(`../../../../shared/data/samples/sysmon/${name}`, import.meta.url)),
);

// The data of each event as real logs of Sysmon for Linux have them.
const DATA: Readonly<Record<number, string>> = {
  1: 'RuleName UtcTime ProcessGuid ProcessId Image FileVersion Description Product Company OriginalFileName CommandLine CurrentDirectory User LogonGuid LogonId TerminalSessionId IntegrityLevel Hashes ParentProcessGuid ParentProcessId ParentImage ParentCommandLine ParentUser',
  3: 'RuleName UtcTime ProcessGuid ProcessId Image User Protocol Initiated SourceIsIpv6 SourceIp SourceHostname SourcePort SourcePortName DestinationIsIpv6 DestinationIp DestinationHostname DestinationPort DestinationPortName',
  4: 'UtcTime State Version SchemaVersion',
  5: 'RuleName UtcTime ProcessGuid ProcessId Image User',
  11: 'RuleName UtcTime ProcessGuid ProcessId Image TargetFilename CreationUtcTime User',
  23: 'RuleName UtcTime ProcessGuid ProcessId User Image TargetFilename Hashes IsExecutable Archived',
};

/** Names of elements and data, without values. */
function shape(line: string): string {
  return [...line.matchAll(/<(?:Data Name="(\w+)"|([A-Z]\w+))/g)].map(([, a, b]) => a ?? b).join(' ');
}

describe('a simulated log of Sysmon for Linux', () => {
  let simulation: TestSimulation;
  let log: string[];
  beforeAll(async () => {
    simulation = await makeSimulation({
      scenario: 'linux-workstation',
      format: 'sysmon',
      events: 25_000,
      seed: 2,
    });
    log = await logLines(simulation);
  });

  it('has the data of real events, in their order', () => {
    expect(new Set(log.map(sysmonId))).toEqual(new Set(Object.keys(DATA).map(Number)));
    for (const line of log) expect([...sysmonData(line).keys()].join(' ')).toBe(DATA[sysmonId(line)]);
  });

  it.runIf(samples.every(existsSync))('has the same elements as the real events in ../shared', async () => {
    const texts = await Promise.all(samples.map((path) => readFile(path, 'utf8')));
    const lines = texts[0]
      .split(/\r?\n/)
      .concat(
        texts[1]
          .split(/\r?\n/)
          .flatMap((line) => (line === '' ? [] : [JSON.parse(line).SyslogMessage as string])),
      );
    const real = new Map(
      lines.filter((line) => line.endsWith('</Event>')).map((line) => [sysmonId(line), shape(line)]),
    );
    let compared = 0;
    for (const id of Object.keys(DATA).map(Number)) {
      const own = log.find((line) => sysmonId(line) === id) as string;
      if (real.has(id)) expect(shape(own), String(id)).toBe(real.get(id));
      compared += real.has(id) ? 1 : 0;
    }
    expect(compared).toBe(6);
  });

  it('names a process by one GUID from its execution to its end', () => {
    const created = new Map<string, string>();
    let ended = 0;
    for (const data of log.map(sysmonData)) {
      const guid = data.get('ProcessGuid');
      if (guid === undefined) continue;
      if (data.has('ParentProcessGuid')) {
        expect(created.has(guid)).toBe(false);
        created.set(guid, data.get('ProcessId') as string);
      } else if (created.has(guid)) {
        expect(data.get('ProcessId')).toBe(created.get(guid));
        ended++;
      }
      expect(guid).toMatch(/^\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}$/);
    }
    expect(ended).toBeGreaterThan(200);
  });

  it('writes UtcTime and SystemTime of the same moment', () => {
    for (const line of log) {
      const system = /SystemTime="([^"]+)"/.exec(line)?.[1] as string;
      const utc = `${sysmonData(line).get('UtcTime')?.replace(' ', 'T')}Z`;
      expect(Date.parse(system)).toBe(Date.parse(utc));
    }
  });
});
