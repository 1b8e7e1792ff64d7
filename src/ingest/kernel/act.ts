/**
 * A kernel act: one system call or one login of a Linux host, as the log of any sensor tells it. It is the seam between
 * parsers and state.
 *
 * Parsers (auditd text, and JSON of the same records) run in threads, in any order. They know nothing of other records and
 * write acts to the tape of a batch with ActWriter. The state (src/ingest/kernel/) reads acts in the order of the log with
 * ActTape, follows processes, descriptors and folders, and adds events to the batch.
 *
 * The tape is `[end of acts, number of texts, act…, text…]`. An act is ACT_HEAD words, then its targets, arguments and
 * paths. A text is TEXT_WORDS words: offset and length in `batch.text`, and the words of its entity key. Acts refer to texts
 * by number. Equal texts of a block have equal numbers, so comparing texts is comparing numbers. NONE stands for an absent
 * number or text.
 */

export const TAPE_HEAD = 2;
export const TEXT_WORDS = 6;
/** The number of an absent value. Process numbers, user numbers and descriptors are never this. */
export const NONE = -0x80000000;

/** The words of an act. */
export const ACT = {
  /** The length of the act in words. */
  length: 0,
  /** What the act tells, as bits of SEEN. */
  seen: 1,
  /** The first and the last line of its records, and the line that stands for it. Lines count from 0 in the block. */
  first: 2,
  last: 3,
  line: 4,
  /** Nanoseconds since 1970, as two words. */
  timeLow: 5,
  timeHigh: 6,
  /** The number that the sensor gives the act. It orders acts of the same time. */
  serial: 7,
  /** Index into `batch.symbols`. */
  host: 8,
  /** The number of records that the act consists of. */
  records: 9,
  /** Index into CALLS, NONE if the call is unknown. */
  call: 10,
  /** 0 unknown, 1 failed, 2 succeeded. */
  ok: 11,
  /** The result of the call, or minus the error number. */
  exit: 12,
  /** The low words of the first four arguments. */
  a0: 13,
  a1: 14,
  a2: 15,
  a3: 16,
  pid: 17,
  ppid: 18,
  /** Effective user and group. */
  user: 19,
  group: 20,
  session: 21,
  /** The number of paths that the act must have to be complete. */
  items: 22,
  /** Texts: the name of the thread, the program file, the working folder, the title of the process. */
  comm: 23,
  exe: 24,
  cwd: 25,
  title: 26,
  /** The address family and the address as a text: `address:port`, or the path of a socket. */
  family: 27,
  address: 28,
  /** The flags of an open whose arguments do not have them. */
  flags: 29,
  /** The two descriptors of a pipe, or the descriptor of a mapping. */
  fd0: 30,
  fd1: 31,
  /** Texts: the name of the effective user, the account of a login, the loaded module. */
  userName: 32,
  account: 33,
  module: 34,
  /** Texts that some sensors know for every act: the whole command line, the container, the service unit. */
  cmd: 35,
  container: 36,
  unit: 37,
  /** The numbers of targets, arguments and paths that follow. */
  targets: 38,
  args: 39,
  paths: 40,
} as const;
export const ACT_HEAD = 41;

/** The words of an act that are texts. */
export const ACT_TEXTS = [
  ACT.comm,
  ACT.exe,
  ACT.cwd,
  ACT.title,
  ACT.address,
  ACT.userName,
  ACT.account,
  ACT.module,
  ACT.cmd,
  ACT.container,
  ACT.unit,
] as const;

/** Bits of ACT.seen. */
export const SEEN = {
  /** The call itself: who did what, and how it ended. */
  call: 1,
  /** The sensor wrote the last record of the act. */
  end: 2,
  /** A record that is an act of its own, such as a login. */
  alone: 4,
  /** The arguments of an exec. */
  args: 8,
  /** A login, `account` in `session`. */
  login: 16,
  /** The host started: all its processes are new. */
  boot: 32,
  /** The words from `call` to `paths` have values. Otherwise the act is only its first `call` words. */
  full: 64,
  /** The sensor's own record. Its serial is none of the kernel's. */
  sensor: 128,
} as const;

/** A process that the act is aimed at: its number and name. */
export const TARGET_WORDS = 2;

/**
 * A part of the command line: the number of its first argument, the number of the piece of that argument, the text of the
 * part and the texts of the arguments 0 to 2 if they are in it.
 */
export const ARG = { index: 0, piece: 1, text: 2, a0: 3, a1: 4, a2: 5 } as const;
export const ARG_WORDS = 6;

/**
 * A path: its position, its role, the mode, device and inode of the file, the name as written and the absolute path.
 * `path` is NONE if it depends on a descriptor.
 */
export const PATH = {
  item: 0,
  role: 1,
  mode: 2,
  device: 3,
  inodeLow: 4,
  inodeHigh: 5,
  name: 6,
  path: 7,
} as const;
export const PATH_WORDS = 8;

/** Values of PATH.role. */
export const ROLE = { normal: 0, parent: 1, create: 2, delete: 3, unknown: 4 } as const;

/** The roles as bits of a set. */
export const ROLES = { normal: 1, parent: 2, create: 4, delete: 8, unknown: 16 } as const;

/** Values of ACT.family. */
export const FAMILY = { none: 0, unix: 1, inet: 2, inet6: 10, other: 255 } as const;
