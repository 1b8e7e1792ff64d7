import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { Interrupt, isAbort } from '../../../src/cli/terminal/interrupt.js';

function listen() {
  const host = new EventEmitter();
  const exits: number[] = [];
  let announced = 0;
  const interrupt = new Interrupt({
    host,
    exit: (code) => exits.push(code),
    announce: () => {
      announced++;
    },
  });
  return { host, exits, interrupt, announced: () => announced };
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
])('%s aborts the signal and sets exit code %i', (name, code) => {
  const { host, exits, interrupt, announced } = listen();
  expect(interrupt.exitCode).toBeUndefined();
  host.emit(name);
  expect(interrupt.signal.aborted).toBe(true);
  expect(isAbort(interrupt.signal.reason)).toBe(true);
  expect([interrupt.exitCode, exits, announced()]).toEqual([code, [], 1]);
});

test('a second signal exits at once', () => {
  const { host, exits } = listen();
  host.emit('SIGINT');
  host.emit('SIGTERM');
  expect(exits).toEqual([143]);
});

test('dispose removes the signal listeners', () => {
  const { host, interrupt } = listen();
  interrupt.dispose();
  expect(host.listenerCount('SIGINT') + host.listenerCount('SIGTERM')).toBe(0);
});

test('the first reason to stop sets the exit code', () => {
  const { host, exits, interrupt } = listen();
  interrupt.stop(0, 'closed pipe');
  interrupt.stop(1, 'too late');
  expect([interrupt.exitCode, interrupt.signal.aborted]).toEqual([0, true]);
  host.emit('SIGINT');
  expect(exits).toEqual([130]);
});
