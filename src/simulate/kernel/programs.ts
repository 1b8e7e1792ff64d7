/** A program on disk: what the loader maps and what it reads before doing anything of its own. */
export interface Program {
  readonly name: string;
  readonly path: string;
  readonly libraries: readonly string[];
  readonly configuration: readonly string[];
}

/** `name: 'path | library library … | configuration …'`: one line per program keeps a host readable at a glance. */
export type ProgramTable = Readonly<Record<string, string>>;

/** The programs that a host has installed, by name. */
export class Programs {
  private readonly byName = new Map<string, Program>();

  constructor(
    table: ProgramTable,
    private readonly libraryPath: (library: string) => string,
  ) {
    this.install(table);
  }

  /** Adds programs, as a package manager or an intruder would. A later entry replaces an earlier one. */
  install(table: ProgramTable): void {
    for (const [name, row] of Object.entries(table)) {
      const [path = '', libraries = '', configuration = ''] = row.split('|').map((part) => part.trim());
      this.byName.set(name, {
        name: path.slice(path.lastIndexOf('/') + 1),
        path,
        libraries: words(libraries).map(this.libraryPath),
        configuration: words(configuration),
      });
    }
  }

  /** Every program as it is after a change to all of them, such as a new release. */
  revise(change: (program: Program) => Program): void {
    for (const [name, program] of this.byName) this.byName.set(name, change(program));
  }

  get(name: string): Program {
    const program = this.byName.get(name);
    if (!program) throw new RangeError(`Programs.get: no program '${name}' on this host`);
    return program;
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
