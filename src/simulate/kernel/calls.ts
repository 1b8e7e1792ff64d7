import type { Process, SimEntity, Unit } from './entities.js';

/**
 * The system calls that simulated programs make. Each audit dialect (`audit/`) records some of them under its own names.
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

/** Receives every call of the kernel: the audit system of the host. */
export interface CallSink {
  record(
    call: Call,
    subject: Process | Unit | undefined,
    object: SimEntity | undefined,
    object2: SimEntity | undefined,
    /** Bytes moved or mapped; -1 if the call has no size. */
    size: number,
    /** The new path of a rename. */
    path?: string,
  ): void;
  /** Reports a new entity, so that it can be attributed to the running task. */
  created(entity: SimEntity): void;
}
