import type { Process, SimEntity, Unit } from './entities.js';

/**
 * The system calls that simulated programs make. An audit system records some of them, under its own names; which
 * ones is the business of its dialect (`audit/`).
 */
export const CALLS = [
  'open',
  'openForWriting',
  'create',
  'read',
  'write',
  'close',
  'seek',
  'control',
  'map',
  'mapFile',
  'protect',
  'fork',
  'clone',
  'execute',
  'exit',
  'unit',
  'changeDirectory',
  'changeUser',
  'makeDirectory',
  'makePipe',
  'makeSocket',
  'connect',
  'accept',
  'sendTo',
  'receiveFrom',
  'sendMessage',
  'receiveMessage',
  'readSocket',
  'writeSocket',
  'unlink',
  'rename',
  'link',
  'truncate',
  'changeMode',
  'changeTimes',
  'signal',
  'sharedMemory',
  'flowsTo',
  'boot',
] as const;

export type Call = (typeof CALLS)[number];

/** Where the kernel reports every call: the audit system of the host. */
export interface CallSink {
  record(
    call: Call,
    subject: Process | Unit | undefined,
    object: SimEntity | undefined,
    object2: SimEntity | undefined,
    /** Bytes moved or mapped; -1 where the call has no size. */
    size: number,
  ): void;
  /** A new entity: lets the log attribute it to the activity that is running. */
  created(entity: SimEntity): void;
}
