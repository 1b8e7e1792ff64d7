import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { FileSink } from './file-sink.js';
import { HttpSink, type HttpSinkOptions } from './http-sink.js';
import type { Shape } from './shape.js';
import { cef } from './shapes/cef.js';
import { ecs } from './shapes/ecs.js';
import { falco } from './shapes/falco.js';
import { ocsf } from './shapes/ocsf.js';
import { otlp } from './shapes/otlp.js';
import { recal } from './shapes/recal.js';
import { slack } from './shapes/slack.js';
import { stix } from './shapes/stix.js';
import type { Sink } from './sink.js';
import { StreamSink } from './stream-sink.js';
import { isSyslogProtocol, SyslogSink } from './syslog-sink.js';

export const SHAPES: readonly Shape[] = [recal, ocsf, ecs, falco, cef, slack, otlp, stix];

/**
 * Opens the sink that `SHAPE:TARGET` names. The target is `-` for standard output, an http(s), udp, tcp or tls URL, or a
 * file.
 */
export async function openSink(spec: string, options: HttpSinkOptions = {}): Promise<Sink> {
  const colon = spec.indexOf(':');
  const shape = SHAPES.find(({ name }) => name === spec.slice(0, colon));
  const target = spec.slice(colon + 1);
  if (shape === undefined || target === '') throw unknownSink(spec);
  if (target === '-') return new StreamSink(process.stdout, shape);
  const url = /^[a-z]+:\/\//i.test(target) ? parseUrl(target) : undefined;
  if (url === undefined) return FileSink.open(target, shape);
  if (url.protocol === 'http:' || url.protocol === 'https:') return new HttpSink(url, shape, options);
  if (isSyslogProtocol(url.protocol)) return new SyslogSink(url, url.protocol, shape);
  throw unknownSink(spec);
}

/** Opens several sinks. One that is named twice is opened once. */
export function openSinks(specs: readonly string[], options: HttpSinkOptions = {}): Promise<readonly Sink[]> {
  return Promise.all([...new Set(specs)].map((spec) => openSink(spec, options)));
}

function parseUrl(target: string): URL {
  try {
    return new URL(target);
  } catch {
    throw unknownSink(target);
  }
}

function unknownSink(spec: string): RecalError {
  const shapes = SHAPES.map(({ name }) => name).join(', ');
  return new RecalError('unknown-sink', `unknown receiver ${printable(JSON.stringify(spec), 200)}`, {
    hint: `use SHAPE:TARGET, such as ocsf:findings.jsonl; shapes: ${shapes}; targets: a file, -, or an http, https, udp, tcp or tls URL`,
    exit: EXIT.usage,
  });
}
