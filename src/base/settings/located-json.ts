import { EXIT, RecalError } from '../errors.js';

const MAX_DEPTH = 16;

/** A JSON value with its line number. Objects also have `members`. */
export interface LocatedValue {
  value: unknown;
  members?: Map<string, LocatedValue>;
  line: number;
}

const SPACE = /[ \t\r\n]*/y;
const SCALAR =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Reads by recursive descent, one method per production. */
class LocatedJsonParser {
  private at = 0;
  private line = 1;

  constructor(
    private readonly text: string,
    private readonly path: string,
  ) {}

  read(): LocatedValue {
    const node = this.value(0);
    if (this.peek() !== undefined) this.fail('expected the end of the file');
    return node;
  }

  private value(depth: number): LocatedValue {
    if (depth > MAX_DEPTH) this.fail(`nested deeper than ${MAX_DEPTH} levels`);
    const next = this.peek();
    const line = this.line;
    if (next === '{') return this.object(depth, line);
    if (next === '[') return this.array(depth, line);
    const token = this.scalar();
    if (token === undefined) this.fail('expected a value');
    return { value: JSON.parse(token), line };
  }

  private object(depth: number, line: number): LocatedValue {
    const members = new Map<string, LocatedValue>();
    this.at++;
    if (this.peek() === '}') this.at++;
    else {
      do {
        if (this.peek() !== '"') this.fail('expected a key in double quotes');
        const keyLine = this.line;
        const token = this.scalar();
        if (token === undefined) this.fail('the key has no closing quote');
        const key = JSON.parse(token) as string;
        if (members.has(key)) this.fail(`duplicate key '${key}'`);
        if (this.peek() !== ':') this.fail("expected ':' after the key");
        this.at++;
        members.set(key, { ...this.value(depth + 1), line: keyLine });
      } while (this.more('}'));
    }
    return { value: Object.fromEntries([...members].map(([key, node]) => [key, node.value])), members, line };
  }

  private array(depth: number, line: number): LocatedValue {
    const items: unknown[] = [];
    this.at++;
    if (this.peek() === ']') this.at++;
    else {
      do items.push(this.value(depth + 1).value);
      while (this.more(']'));
    }
    return { value: items, line };
  }

  /** Reads a comma (true: another entry follows) or the closing bracket (false). */
  private more(close: string): boolean {
    const next = this.peek();
    if (next !== ',' && next !== close) this.fail(`expected ',' or '${close}'`);
    this.at++;
    return next === ',';
  }

  private scalar(): string | undefined {
    SCALAR.lastIndex = this.at;
    const token = SCALAR.exec(this.text)?.[0];
    this.at += token?.length ?? 0;
    return token;
  }

  private peek(): string | undefined {
    SPACE.lastIndex = this.at;
    const space = SPACE.exec(this.text)?.[0] ?? '';
    this.at += space.length;
    // Line breaks occur only between tokens, because JSON strings cannot hold them.
    for (const char of space) if (char === '\n') this.line++;
    return this.text[this.at];
  }

  private fail(what: string): never {
    const found = this.text[this.at];
    throw new RecalError(
      'config-syntax',
      `not valid JSON: ${what}${found === undefined ? ', found the end of the file' : ''}`,
      {
        where: { file: this.path, line: this.line },
        hint: 'write plain JSON: double quotes, no comments, no comma after the last entry',
        exit: EXIT.usage,
      },
    );
  }
}

/**
 * Parses JSON with line numbers. `JSON.parse` on Node 20 reports no position of a syntax error or a key, and silently
 * accepts duplicate keys.
 */
export function parseLocatedJson(text: string, path: string): LocatedValue {
  return new LocatedJsonParser(text, path).read();
}
