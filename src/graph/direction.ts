export type DirectionName = 'flow' | 'magic' | 'none';

/**
 * Says for which relations information flows from the object to the subject (method §1). The model file contains the
 * table, so that detection directs edges as training did.
 */
export interface DirectionTable {
  readonly name: DirectionName;
  /** Whether `reversed` contains whole names or substrings of names. */
  readonly match: 'name' | 'substring';
  /** The relations that run object → subject, in capitals, without `EVENT_`, words joined by `_`. */
  readonly reversed: readonly string[];
  /** Whether the direction that the log gives for an event, such as an open for writing, overrides the table. */
  readonly honoursFlow: boolean;
}

/** The names in CDM 18 to 20. LSEEK has an object in some logs only. */
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

/** The corresponding names in other logs: canonical aliases, system calls, and names of endpoint sensors. */
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
  // MAGIC matches substrings, so CREATE_THREAD counts as READ too.
  magic: { name: 'magic', match: 'substring', reversed: ['READ', 'RECV', 'LOAD'], honoursFlow: false },
  none: { name: 'none', match: 'name', reversed: [], honoursFlow: false },
};

/** One flag per relation: 1 if its events run object → subject. */
export function compileDirection(table: DirectionTable, relations: readonly string[]): Uint8Array {
  const patterns = table.reversed.map(normaliseName);
  const names = new Set(patterns);
  return Uint8Array.from(relations, (relation) => {
    const name = normaliseName(relation);
    const listed = table.match === 'name' ? names.has(name) : patterns.some((part) => name.includes(part));
    return listed ? 1 : 0;
  });
}

/** `EVENT_READ`, `event_read` and `Read` are the same name, and so are `open-read` and `OPEN_READ`. */
function normaliseName(relation: string): string {
  return relation
    .toUpperCase()
    .replace(/[-\s.]+/g, '_')
    .replace(/^EVENT_/, '');
}
