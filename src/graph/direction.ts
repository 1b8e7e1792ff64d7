/**
 * Which way information flows along an event, as data: a table is chosen at training and stamped into the model file,
 * so that detection turns edges the way training did (method §1).
 */

export type DirectionName = 'flow' | 'magic' | 'none';

/** Plain and serialisable. Events run subject → object unless their relation is listed here. */
export interface DirectionTable {
  readonly name: DirectionName;
  /** `name`: `reversed` holds whole relation names. `substring`: it holds parts of names. */
  readonly match: 'name' | 'substring';
  /** The relations that run object → subject, in capitals, without `EVENT_`, words joined by `_`. */
  readonly reversed: readonly string[];
  /** Whether what the log says of one event (`FLOW_IN`, `FLOW_OUT`) beats the table: an open for writing. */
  readonly honoursFlow: boolean;
}

/** The names of CDM 18 to 20. LSEEK has an object in some logs only, but where it has one it belongs here. */
const CDM_REVERSED = [
  'READ',
  'READ_SOCKET_PARAMS',
  'RECVFROM',
  'RECVMSG',
  'ACCEPT',
  'OPEN',
  'MMAP',
  'EXECUTE',
  'LOADLIBRARY',
  'LSEEK',
  'CHECK_FILE_ATTRIBUTES',
];

/** Their counterparts elsewhere: the canonical aliases, system calls, and the words of endpoint sensors. */
const OTHER_REVERSED = [
  'RECV',
  'EXEC',
  'LOAD',
  'CHECK_ATTRIBUTES',
  'OPEN_READ',
  'OPEN_FOR_READ',
  'READV',
  'PREAD',
  'PREAD64',
  'PREADV',
  'PREADV2',
  'READLINK',
  'READLINKAT',
  'GETDENTS',
  'GETDENTS64',
  'RECVMMSG',
  'ACCEPT4',
  'OPENAT',
  'OPENAT2',
  'MMAP2',
  'EXECVE',
  'EXECVEAT',
  'STAT',
  'LSTAT',
  'FSTAT',
  'NEWFSTATAT',
  'STATX',
  'ACCESS',
  'FACCESSAT',
  'FACCESSAT2',
  'LOAD_LIBRARY',
  'LOAD_MODULE',
  'MODULE_LOAD',
  'IMAGE_LOAD',
  'DRIVER_LOAD',
  'RAW_READ',
  'FILE_READ',
];

export const DIRECTIONS: Readonly<Record<DirectionName, DirectionTable>> = {
  flow: { name: 'flow', match: 'name', reversed: [...CDM_REVERSED, ...OTHER_REVERSED], honoursFlow: true },
  // As MAGIC does it, with its accident: CREATE_THREAD contains READ.
  magic: { name: 'magic', match: 'substring', reversed: ['READ', 'RECV', 'LOAD'], honoursFlow: false },
  none: { name: 'none', match: 'name', reversed: [], honoursFlow: false },
};

/** One flag a relation: 1 where its events run object → subject. */
export function compileDirection(table: DirectionTable, relations: readonly string[]): Uint8Array {
  const patterns = table.reversed.map(normaliseName);
  const names = new Set(patterns);
  return Uint8Array.from(relations, (relation) => {
    const name = normaliseName(relation);
    const listed = table.match === 'name' ? names.has(name) : patterns.some((part) => name.includes(part));
    return listed ? 1 : 0;
  });
}

/** `EVENT_READ`, `event_read` and `Read` are one name, and so are `open-read` and `OPEN_READ`. */
function normaliseName(relation: string): string {
  return relation
    .toUpperCase()
    .replace(/[-\s.]+/g, '_')
    .replace(/^EVENT_/, '');
}
