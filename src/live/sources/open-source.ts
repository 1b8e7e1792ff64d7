import { join } from 'node:path';
import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { FileSource } from './file-source.js';
import { HttpFeed, type HttpFeedOptions } from './http-feed.js';
import { SocketFeed } from './socket-feed.js';
import type { Source } from './source.js';
import { SpooledSource } from './spooled-source.js';
import { StreamFeed } from './stream-feed.js';

export interface SourceOptions extends HttpFeedOptions {
  /** Folder for the lines of sources that cannot be asked again. */
  readonly spool: string;
}

/** Makes the source that a word names: a file or glob, `-`, `unix:PATH` or an http or https URL to listen on. */
export function sourceOf(spec: string, options: SourceOptions): Source {
  if (spec === '-')
    return new SpooledSource('stdin', join(options.spool, 'stdin'), new StreamFeed(process.stdin));
  if (spec.startsWith('unix:')) {
    const path = spec.slice('unix:'.length);
    if (path === '') throw unknownSource(spec);
    return new SpooledSource(spec, join(options.spool, 'unix'), new SocketFeed(path));
  }
  if (/^https?:\/\//i.test(spec)) {
    if (!URL.canParse(spec)) throw unknownSource(spec);
    const url = new URL(spec);
    return new SpooledSource(url.origin, join(options.spool, 'http'), new HttpFeed(url, options));
  }
  if (/^[a-z]+:\/\//i.test(spec)) throw unknownSource(spec);
  return new FileSource(spec);
}

function unknownSource(spec: string): RecalError {
  return new RecalError('unknown-source', `unknown source ${printable(JSON.stringify(spec), 200)}`, {
    hint: 'use a file or a glob, - for standard input, unix:PATH for the audit socket, or http://ADDRESS:PORT to listen',
    exit: EXIT.usage,
  });
}
