import { appendFileSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';

const [path, port] = process.argv.slice(2);
mkdirSync(dirname(path), { recursive: true });
const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    appendFileSync(path, `${Buffer.concat(pieces).toString('utf8').trim()}\n`);
    response.writeHead(204).end();
  });
});
server.listen(Number(port), '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
