// Reads the tools' required options, the choice of cases, and JSON lines; language-server/cli reads the rest of the
// command line.
import { readFileSync } from 'node:fs';
import { count, text, UsageError, type Values } from '../../language-server/cli/command.ts';

/** The option's value. If it is missing, throws an error that says that a `kind`, such as FILE, is expected. */
export function required(values: Values, name: string, kind: string): string {
  const value = text(values, name);
  if (value === undefined) throw new UsageError(`expected --${name} ${kind}`);
  return value;
}

/** Parses a file of JSON lines into objects with their line numbers; skips empty lines. */
export function readJsonLines(path: string): { entry: Record<string, unknown>; line: number }[] {
  return contentOf(path)
    .split('\n')
    .map((text, i) => ({ text, line: i + 1 }))
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, line }) => ({ entry: objectOf(text, `${path}:${line}`), line }));
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function objectOf(json: string, place: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error(`${place}: this is not JSON`);
  }
  if (typeof value !== 'object' || value === null) throw new Error(`${place}: this is not an object`);
  return value as Record<string, unknown>;
}

/**
 * The indices of the cases to ask the model about, out of `length` cases: every N-th (--every), and of these the part
 * --share.
 */
export function wantedCases(length: number, values: Values): number[] {
  const every = count(values, 'every') ?? 1;
  const [part = 0, parts = 0] = (text(values, 'share') ?? '0/1').split('/').map(Number);
  if (!(parts > part && part >= 0)) throw new UsageError('--share is I/N, with I from 0 to N - 1');
  const some = Array.from({ length: Math.ceil(length / every) }, (_, i) => i * every);
  return some.filter((_, i) => i % parts === part);
}
