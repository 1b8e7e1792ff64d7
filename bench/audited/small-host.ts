import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ended } from '../outages/watched-log.js';

/** A web service with a hole: `/run` gives its body to a shell. */
const SERVICE = `
const { createServer } = require('node:http');
const { execFile } = require('node:child_process');
const { appendFile, readFile } = require('node:fs');
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (text) => { body += text; });
  request.on('end', () => {
    const answer = (error, out) => response.end(String(out));
    appendFile('access.log', request.url + '\\n', () => {
      if (request.url === '/run') execFile('/bin/sh', ['-c', body], answer);
      else if (request.url === '/status') execFile('/bin/sh', ['-c', 'date; df -h .'], answer);
      else readFile('pages' + request.url, answer);
    });
  });
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
`;

/** What the host does all the time, one after another. */
const JOBS = [
  'ls -la pages > listing.txt; sort listing.txt > sorted.txt; mv sorted.txt listing.txt',
  'grep -c status access.log; tail -n 20 access.log > recent.log',
  'cat /etc/hostname /etc/passwd > /dev/null; date > heartbeat',
  'gzip -c access.log > backup/access.log.gz; rm -f backup/old.gz; mv backup/access.log.gz backup/old.gz',
  'find . -name "*.html" | wc -l > count.txt',
  'mkdir -p cache; cp pages/index.html cache/index.html; touch cache/index.html',
  'tar cf backup/site.tar pages; tar tf backup/site.tar > /dev/null',
  'awk "{ n++ } END { print n }" access.log > lines.txt; sed -n 1,5p access.log > head.txt',
];
const PAUSE_MS = 1500;

/** A user with a web service, its clients and its jobs. */
export interface SmallHost {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startHost(folder: string, user: number): Promise<SmallHost> {
  for (const name of ['', 'pages', 'backup']) {
    mkdirSync(join(folder, name), { recursive: true });
    chownSync(join(folder, name), user, user);
  }
  for (const page of ['index.html', 'about.html', 'news.html'])
    writeFileSync(join(folder, 'pages', page), `<p>${page}</p>\n`);
  const options = { cwd: folder, uid: user, gid: user, env: { PATH: '/usr/bin:/bin', HOME: folder } };
  const service: ChildProcess = spawn(process.execPath, ['-e', SERVICE], {
    ...options,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const port = await new Promise<number>((resolve) => service.once('message', (at) => resolve(at as number)));
  let isOver = false;
  const work = async () => {
    for (let turn = 0; !isOver; turn++) {
      const job = spawn('/bin/sh', ['-c', JOBS[turn % JOBS.length]], { ...options, stdio: 'ignore' });
      await ended(job);
      const page = ['index.html', 'about.html', 'news.html', 'status'][turn % 4];
      await fetch(`http://127.0.0.1:${port}/${page}`).then((answer) => answer.text());
      await sleep(PAUSE_MS);
    }
  };
  const working = work();
  return {
    port,
    async stop() {
      isOver = true;
      await working;
      service.kill();
      await ended(service);
    },
  };
}

/** Harmless commands in the order of an intrusion. `$0` is a program that nobody ran before. */
const STEPS = [
  'id; uname -a; whoami; ps aux | head -5',
  'cat /etc/passwd /etc/group; ls -la /home /root; find / -maxdepth 2 -perm -4000 2>/dev/null | head',
  'mkdir -p /tmp/.cache-x; cp /bin/sleep /tmp/.cache-x/kdevtmpfsi; chmod +x /tmp/.cache-x/kdevtmpfsi; (/tmp/.cache-x/kdevtmpfsi 5 &)',
  'tar czf /tmp/.cache-x/loot.tgz /etc/hostname /etc/passwd; base64 /tmp/.cache-x/loot.tgz > /tmp/.cache-x/loot.b64',
  "bash -c 'exec 3<>/dev/tcp/127.0.0.1/9'; bash -c 'exec 3<>/dev/tcp/127.0.0.1/22'; true",
  'sleep 5; rm -rf /tmp/.cache-x',
];

/** Breaks in through the service. Returns names that only the intrusion has. */
export async function intrude(port: number): Promise<string[]> {
  for (const body of STEPS) {
    await fetch(`http://127.0.0.1:${port}/run`, { method: 'POST', body }).then((answer) => answer.text());
    await sleep(2000);
  }
  return ['kdevtmpfsi', 'loot', 'base64'];
}
