/** What a test says of a system call. Everything else has a plain value. */
export interface CallOptions {
  pid?: number;
  ppid?: number;
  exit?: number;
  args?: readonly [number, number?, number?, number?];
  exe?: string;
  uid?: number;
  ses?: number;
  arch?: string;
  items?: number;
  /** Records besides SYSCALL and PROCTITLE: type and fields. */
  records?: readonly (readonly [type: string, fields: string])[];
  /** False for a call without a result. */
  returns?: boolean;
  title?: string | false;
  serial?: number;
  ms?: number;
}

export const WORKING_FOLDER = 0xffffff9c;

/** x86-64 numbers of the calls that tests use. */
const NUMBERS: Readonly<Record<string, number>> = {
  read: 0,
  write: 1,
  open: 2,
  close: 3,
  mmap: 9,
  dup2: 33,
  sendfile: 40,
  connect: 42,
  accept: 43,
  sendto: 44,
  recvfrom: 45,
  bind: 49,
  clone: 56,
  fork: 57,
  vfork: 58,
  execve: 59,
  exit: 60,
  kill: 62,
  fcntl: 72,
  rename: 82,
  unlink: 87,
  chmod: 90,
  ptrace: 101,
  setuid: 105,
  setgid: 106,
  mount: 165,
  init_module: 175,
  exit_group: 231,
  openat: 257,
  unlinkat: 263,
  renameat: 264,
  accept4: 288,
  dup3: 292,
  pipe2: 293,
  memfd_create: 319,
  clone3: 435,
  openat2: 437,
};

/** A PATH record. */
export function path(item: number, name: string, role = 'NORMAL', inode = 1, mode = '0100644') {
  const text = /^[\x21-\x7e]*$/.test(name) && !name.includes('"') ? `"${name}"` : hex(name);
  const fields = `item=${item} name=${text} inode=${inode} dev=fe:00 mode=${mode} ouid=0 ogid=0 rdev=00:00 nametype=${role}`;
  return ['PATH', `${fields} cap_fp=0 cap_fi=0`] as const;
}

export const cwd = (folder: string) => ['CWD', `cwd="${folder}"`] as const;
const hex = (text: string): string => Buffer.from(text).toString('hex').toUpperCase();

/** Writes an audit log as the kernel would. Times start at 1,700,000,000 s and go on by 1 ms, serials by 1. */
export class AuditLog {
  readonly lines: string[] = [];
  readonly #node: string;
  #serial = 0;
  #ms = 0;

  constructor(node?: string) {
    this.#node = node === undefined ? '' : `node=${node} `;
  }

  /** Adds the records of a system call. */
  call(name: string, options: CallOptions = {}): this {
    const {
      pid = 100,
      ppid = 1,
      exit = 0,
      args = [0],
      exe = '/usr/bin/x',
      uid = 0,
      ses = 4294967295,
    } = options;
    const { arch = 'c000003e', records = [], returns = true, title = 'x', items } = options;
    this.#next(options);
    const [a0, a1 = 0, a2 = 0, a3 = 0] = args;
    const result = returns ? `success=${exit < 0 ? 'no' : 'yes'} exit=${exit} ` : '';
    const paths = items ?? records.filter(([type]) => type === 'PATH').length;
    const ids = `auid=${uid} uid=${uid} gid=${uid} euid=${uid} suid=${uid} fsuid=${uid} egid=${uid} sgid=${uid} fsgid=${uid}`;
    const arguments_ = [a0, a1, a2, a3].map((value, i) => `a${i}=${value.toString(16)}`).join(' ');
    this.#add(
      'SYSCALL',
      `arch=${arch} syscall=${NUMBERS[name]} ${result}${arguments_} items=${paths} ppid=${ppid} pid=${pid} ${ids} tty=(none) ses=${ses} comm="x" exe="${exe}" key=(null)`,
    );
    for (const [type, fields] of records) this.#add(type, fields);
    if (title !== false) this.#add('PROCTITLE', `proctitle=${hex(title)}`);
    return this;
  }

  /** Adds an event of one record. */
  record(type: string, fields: string, options: CallOptions = {}): this {
    this.#next(options);
    this.#add(type, fields);
    return this;
  }

  get text(): string {
    return `${this.lines.join('\n')}\n`;
  }

  #next({ serial, ms }: CallOptions): void {
    this.#serial = serial ?? this.#serial + 1;
    this.#ms = ms ?? this.#ms + 1;
  }

  #add(type: string, fields: string): void {
    const time = `${1_700_000_000 + Math.floor(this.#ms / 1000)}.${String(this.#ms % 1000).padStart(3, '0')}`;
    this.lines.push(`${this.#node}type=${type} msg=audit(${time}:${this.#serial}): ${fields}`);
  }
}

/** The identifier of a process whose first record is at this millisecond. */
export function processAt(pid: number, ms: number): string {
  return `pid:${pid}@${1_700_000_000_000_000_000n + BigInt(ms) * 1_000_000n}`;
}
