/** A program on disk, with the libraries and configuration files that it loads first. */
export interface Program {
  readonly name: string;
  readonly path: string;
  readonly libraries: readonly string[];
  readonly configuration: readonly string[];
}

/** `name: 'path | library library … | configuration …'`, one line per program. */
export type ProgramTable = Readonly<Record<string, string>>;

/** The programs installed on a host, by name. */
export class Programs {
  private readonly byName = new Map<string, Program>();

  constructor(
    table: ProgramTable,
    private readonly libraryPath: (library: string) => string,
  ) {
    this.install(table);
  }

  /** Adds programs. A later entry replaces an earlier one. */
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

  /** Changes every program, as a new release does. */
  revise(change: (program: Program) => Program): void {
    for (const [name, program] of this.byName) this.byName.set(name, change(program));
  }

  /** The executables, libraries and configuration files of all programs. */
  files(): string[] {
    const programs = [...this.byName.values()];
    return [
      ...new Set(
        programs.flatMap(({ path, libraries, configuration }) => [path, ...libraries, ...configuration]),
      ),
    ];
  }

  get(name: string): Program {
    const program = this.byName.get(name);
    if (!program) throw new RangeError(`Programs.get: no program '${name}' on this host`);
    return program;
  }
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
