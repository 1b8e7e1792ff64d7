import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Records this machine's own audit log for a moment. The kernel has one audit daemon and one list of rules, so a capture
// runs only where there is no daemon and no rule, and puts everything back.

const TOOLS = ['/usr/sbin/auditd', '/usr/sbin/auditctl'];

/** Why a capture is impossible here, or undefined if it is possible. */
export function whyNoCapture(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the rules are for Linux on x86-64';
  if (process.getuid?.() !== 0) return 'only root can load audit rules';
  const missing = TOOLS.find((tool) => spawnSync(tool, ['-v']).error !== undefined);
  if (missing !== undefined) return `${missing} is not installed`;
  const state = auditctl('-s');
  if (state === undefined) return 'the kernel refuses auditctl, as in a container';
  if (!/^pid 0$/m.test(state)) return 'an audit daemon is running';
  if (/^enabled 2$/m.test(state)) return 'the audit rules are locked';
  if (auditctl('-l')?.trim() !== 'No rules') return 'there are audit rules, which a capture would disturb';
  return undefined;
}

export function auditctl(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('/usr/sbin/auditctl', args, { encoding: 'utf8', timeout: 10_000 });
  return status === 0 ? stdout : undefined;
}

/** Undoes everything at the end of its input, so also if the test is killed. */
const RECORD = fileURLToPath(new URL('./record-audit.sh', import.meta.url));

/** Runs `work` while the kernel records what processes of this user do, under these rules. Returns the log. */
export async function captureAudit(
  folder: string,
  rules: string,
  user: number,
  work: () => Promise<void>,
): Promise<string> {
  const log = join(folder, 'audit.log');
  mkdirSync(join(folder, 'plugins.d'));
  writeFileSync(
    join(folder, 'auditd.conf'),
    `local_events = yes\nwrite_logs = yes\nlog_file = ${log}\nlog_group = root\nlog_format = ENRICHED\nflush = SYNC\n` +
      `max_log_file = 8\nnum_logs = 0\nmax_log_file_action = IGNORE\nspace_left = 2\nspace_left_action = IGNORE\n` +
      `admin_space_left = 1\nadmin_space_left_action = IGNORE\ndisk_full_action = IGNORE\ndisk_error_action = IGNORE\n` +
      `plugin_dir = ${join(folder, 'plugins.d')}\n`,
    { mode: 0o640 },
  );
  // The first rule that matches decides, so this one keeps all other users' processes out.
  writeFileSync(join(folder, 'recal.rules'), `-a never,exit -S all -F uid!=${user}\n${rules}`, {
    mode: 0o600,
  });
  const guard = spawn('sh', [RECORD, folder], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true, // not in the group that Ctrl-C ends
  });
  const ended = exitOf(guard);
  let said = '';
  guard.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  try {
    const ready = new Promise<boolean>((resolve) => guard.stdout.once('data', () => resolve(true)));
    if (!(await Promise.race([ready, ended.then(() => false)])))
      throw new Error(`the capture did not start: ${said}`);
    await work();
    await settled(log);
  } finally {
    guard.stdin.end();
    await ended;
  }
  return readFileSync(log, 'utf8');
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('exit', () => resolve()));
}

/** Waits until the daemon writes nothing for half a second. */
async function settled(log: string): Promise<void> {
  let before = -1;
  for (let tries = 0; tries < 40; tries++) {
    const { length } = readFileSync(log);
    if (length === before) return;
    before = length;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
