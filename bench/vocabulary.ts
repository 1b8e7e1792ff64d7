import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Scenario } from '../dist/simulate/options.js';

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** Event counts of the real CADETS trace of Engagement 1 (GitHub cadets/trace-data, `stretch`, 910,307 events). */
const CADETS_E1: Readonly<Record<string, number>> = {
  WRITE: 334_072,
  READ: 271_689,
  CLOSE: 80_693,
  OPEN: 66_334,
  MMAP: 63_648,
  LSEEK: 17_179,
  FCNTL: 13_364,
  RECVFROM: 9_146,
  SENDTO: 7_651,
  EXECUTE: 7_465,
  EXIT: 7_304,
  FORK: 7_274,
  CREATE_OBJECT: 7_161,
  RENAME: 5_669,
  OTHER: 3_766,
  MODIFY_PROCESS: 2_176,
  CONNECT: 1_862,
  CHANGE_PRINCIPAL: 1_661,
  ACCEPT: 954,
  UNLINK: 683,
  SENDMSG: 316,
  MODIFY_FILE_ATTRIBUTES: 208,
  RECVMSG: 17,
  TRUNCATE: 15,
};

/** Relations of the E3 hosts, from ThreaTrace's published models. */
const E3: Readonly<Partial<Record<Scenario, string>>> = {
  'freebsd-server':
    'CLOSE CREATE_OBJECT CONNECT ACCEPT WRITE READ OPEN EXIT FORK EXECUTE MMAP MODIFY_PROCESS LSEEK CHANGE_PRINCIPAL ' +
    'SENDTO RECVMSG RECVFROM UNLINK RENAME FCNTL MODIFY_FILE_ATTRIBUTES LINK SIGNAL SENDMSG FLOWS_TO TRUNCATE',
  'linux-desktop':
    'BOOT MMAP OPEN READ MPROTECT CONNECT SENDTO RECVMSG READ_SOCKET_PARAMS SENDMSG CLONE EXECUTE RECVFROM WRITE ' +
    'WRITE_SOCKET_PARAMS UNLINK MODIFY_FILE_ATTRIBUTES SHM',
  'linux-workstation':
    'MPROTECT OPEN READ CLOSE MMAP CLONE UNIT WRITE CONNECT RECVMSG ACCEPT SENDMSG MODIFY_FILE_ATTRIBUTES TRUNCATE ' +
    'UNLINK EXIT FORK LOADLIBRARY EXECUTE CREATE_OBJECT RENAME LINK CHANGE_PRINCIPAL',
};

/** Compares the relations that `recal inspect` counts in a simulation with those of the real hosts. */
export function printVocabulary(scenario: Scenario, folder: string): void {
  const files = ['train', 'calibrate', 'test'].map((part) => join(folder, `${part}.json`));
  const output = execFileSync(process.execPath, [CLI, 'inspect', ...files, '--json', '--quiet'], {
    maxBuffer: 1 << 28,
  });
  const { relations } = JSON.parse(output.toString()) as { relations: Record<string, number> };
  const known = new Set((E3[scenario] ?? E3['freebsd-server'] ?? '').split(' '));
  const ours = new Map(
    Object.entries(relations).map(([name, count]) => [name.replace(/^EVENT_/, ''), count]),
  );
  const counts = [...ours.values()];
  const decades = Math.log10(Math.max(...counts) / Math.min(...counts));
  console.log(`\n${scenario}: ${ours.size} relations, counts span ${decades.toFixed(2)} decades`);
  console.log('| relation | simulated | in E3 | CADETS E1 |\n|---|---|---|---|');
  for (const name of new Set([...ours.keys(), ...known])) {
    const e1 = scenario === 'freebsd-server' ? (CADETS_E1[name] ?? '–') : '';
    console.log(`| ${name} | ${ours.get(name) ?? '–'} | ${known.has(name) ? 'yes' : 'no'} | ${e1} |`);
  }
}
