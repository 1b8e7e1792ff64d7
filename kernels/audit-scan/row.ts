// A row of the result: what a line is. src/ingest/formats/auditd/audit-scan.ts has the same numbers, in ROW.

export const ROW_BYTES: usize = 136;

/** The kinds of rows, as TYPE in src/ingest/formats/auditd/record-types.ts. OTHER lines are left to the host. */
export const OTHER: i32 = 0;
export const SYSCALL_RECORD: i32 = 1;
export const PATH_RECORD: i32 = 2;
export const CWD_RECORD: i32 = 3;
export const PROCTITLE_RECORD: i32 = 4;
export const SOCKADDR_RECORD: i32 = 5;

/** The byte offsets of the words. Positions are relative to the block. */
export const KIND: usize = 0;
export const START: usize = 4;
export const STOP: usize = 8;
export const BODY: usize = 12;
export const TIME: usize = 16;
export const SERIAL: usize = 24;
/** The number of the name of the host, 0 if the record has none. */
export const NODE: usize = 28;
/** The number of the text of the record, or UNNUMBERED, and its position. A text in quotes starts with the first one. */
export const TEXT: usize = 32;
export const TEXT_START: usize = 36;
export const TEXT_STOP: usize = 40;
/** Of a call: where its further fields start, and bits: it has `success` (1), `exit` (2), and as in call.ts (4, 8, 16). */
export const REST: usize = 44;
export const RESULT: usize = 48;
/** Of a call: from `arch` to `session`. Of a path: from `item` to the high word of the inode. */
export const VALUES: usize = 52;
/** Of a call: the texts of the name of the thread and of the effective user, as TEXT, TEXT_START and TEXT_STOP. */
export const COMM_TEXT: usize = 108;
export const USER_TEXT: usize = 120;
