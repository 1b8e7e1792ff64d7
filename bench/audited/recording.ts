import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ended } from '../outages/watched-log.js';

const RECORD = fileURLToPath(new URL('../../test/ingest/formats/auditd/record-audit.sh', import.meta.url));

/** A real audit log that grows. */
export interface Recording {
  readonly log: string;
  /** Takes the rules out again. */
  stop(): Promise<void>;
}

/** Has the kernel record what processes of this user do. Needs root, and a machine without an audit daemon. */
export async function startRecording(folder: string, rules: string, user: number): Promise<Recording> {
  const log = join(folder, 'audit.log');
  const settings = {
    local_events: 'yes',
    write_logs: 'yes',
    log_file: log,
    log_group: 'root',
    log_format: 'ENRICHED',
    flush: 'INCREMENTAL_ASYNC',
    freq: '50',
    max_log_file: '8',
    num_logs: '5',
    max_log_file_action: 'ROTATE',
    space_left: '2',
    space_left_action: 'IGNORE',
    admin_space_left: '1',
    admin_space_left_action: 'IGNORE',
    disk_full_action: 'IGNORE',
    disk_error_action: 'IGNORE',
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}\n`);
  writeFileSync(join(folder, 'auditd.conf'), lines.join(''), { mode: 0o640 });
  // The first rule that matches decides, so this one keeps all other users' processes out.
  writeFileSync(join(folder, 'recal.rules'), `-a never,exit -S all -F uid!=${user}\n${rules}`, {
    mode: 0o600,
  });
  const child = spawn('sh', [RECORD, folder], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true, // not in the group that Ctrl-C ends
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000);
  });
  const ready = new Promise<boolean>((resolve) => child.stdout.once('data', () => resolve(true)));
  if (!(await Promise.race([ready, ended(child).then(() => false)])))
    throw new Error(`the audit system cannot be used: ${said}`);
  return {
    log,
    async stop() {
      child.stdin.end();
      await ended(child);
    },
  };
}
