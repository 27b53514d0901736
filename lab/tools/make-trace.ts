// npm run tool -- trace FILE: makes a typing trace from a source file.
import { basename } from 'node:path';
import { type Command, count, onlyOperand, print, readText, UsageError } from '../../language-server/cli/command.ts';
import { type Edit, formatTrace, type Trace } from './trace.ts';

export interface Cut {
  /** The first line to take out, counted from 1; there must be a line above it. */
  line: number;
  lines: number;
  intervalMs: number;
  autoClose: boolean;
}

export const traceCommand: Command = {
  summary: 'take lines out of a file and write a trace that types them again',
  operands: 'FILE',
  options: {
    line: { type: 'string', value: 'N', help: 'first line to take out, at least 2; default: 20' },
    lines: { type: 'string', value: 'N', help: 'number of lines to take out; default: 2' },
    interval: { type: 'string', value: 'MS', help: 'time between two keys; default: 140' },
    'auto-close': { type: 'boolean', help: 'the editor closes brackets and quotes, and typing a closer skips over it' },
  },
  async run(values, operands) {
    const file = onlyOperand(operands, 'FILE');
    const cut = {
      line: count(values, 'line') ?? 20,
      lines: count(values, 'lines') ?? 2,
      intervalMs: count(values, 'interval') ?? 140,
      autoClose: values['auto-close'] === true,
    };
    print(formatTrace(makeTrace(basename(file), readText(file), cut)));
  },
};

/**
 * Removes lines and types them again, key by key. A line break includes the next line's indentation, as editors insert
 * it. With autoClose, a line break also moves a closing bracket right after the cursor to a line of its own.
 */
export function makeTrace(name: string, text: string, { line, lines, intervalMs, autoClose }: Cut): Trace {
  const rows = text.replaceAll('\r\n', '\n').split('\n');
  if (line < 2 || line - 1 + lines > rows.length)
    throw new UsageError(`${name} has ${rows.length} lines: lines ${line} to ${line - 1 + lines} cannot be taken`);
  const taken = rows.splice(line - 1, lines);
  const keys = taken.flatMap((row) => {
    const code = row.trimStart();
    return [`\n${row.slice(0, row.length - code.length)}`, ...code];
  });
  const typist = new Typist(line - 2, rows[line - 2] ?? '', intervalMs);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] ?? '';
    if (!key.startsWith('\n')) typist.character(key, autoClose);
    else if (typist.lineBreak(key, keys[i + 1])) i++;
  }
  return { name, text: rows.join('\n'), edits: typist.edits };
}

const closers = new Map(Object.entries({ '(': ')', '[': ']', '{': '}', '"': '"', "'": "'", '`': '`' }));

class Typist {
  readonly edits: Edit[] = [];
  /**
   * The brackets that the editor has closed, the innermost last. If a closer is on a line below the cursor, `indent` is
   * that line's indentation.
   */
  private readonly closed: { closer: string; indent?: string }[] = [];

  /** left: the text between the start of the line and the cursor. */
  constructor(
    private line: number,
    private left: string,
    private readonly intervalMs: number,
  ) {}

  /**
   * Types a line break and indentation. If the next key is a closer that already has a line of its own below, moves the
   * cursor to the end of that line instead, which also does the work of the next key. Returns whether that happened.
   */
  lineBreak(key: string, next: string | undefined): boolean {
    const top = this.closed.at(-1);
    if (top?.indent !== undefined && next === top.closer) {
      this.closed.pop();
      this.line++;
      this.left = top.indent + next;
      this.edit('', this.left.length);
      return true;
    }
    const last = this.left.at(-1) ?? '';
    const isBetween = top?.indent === undefined && /[([{]/.test(last) && closers.get(last) === top?.closer;
    if (top && isBetween) top.indent = /^\s*/.exec(this.left)?.[0] ?? '';
    const below = isBetween ? `\n${top?.indent}` : '';
    this.edit(key + below, this.left.length, below.length);
    this.line++;
    this.left = key.slice(1);
    return false;
  }

  character(key: string, autoClose: boolean): void {
    const top = this.closed.at(-1);
    const closer = autoClose ? closers.get(key) : undefined;
    if (autoClose && top?.closer === key && top.indent === undefined) {
      this.closed.pop();
      this.edit('', this.left.length + 1);
    } else if (closer !== undefined && !(closer === key && /\w$/.test(this.left))) {
      this.closed.push({ closer });
      this.edit(key + closer, this.left.length, 1);
    } else {
      this.edit(key, this.left.length);
    }
    this.left += key;
  }

  private edit(insert: string, character: number, behind = 0): void {
    const atMs = (this.edits.length + 1) * this.intervalMs;
    this.edits.push({ line: this.line, character, insert, behind, deleted: 0, atMs });
  }
}
