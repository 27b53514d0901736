// A call or a definition got an argument or lost one: so do the other calls on one line.
import type { Candidate } from '../candidate.ts';
import type { Line } from '../lines.ts';
import type { PastChange } from '../past-changes.ts';
import { changesBetween } from '../text-edit.ts';

interface ArgumentChange {
  name: string;
  /** Counted from 0. */
  position: number;
  /** Of how many arguments before. */
  count: number;
  /** The text of the argument; null if it went. */
  added: string | null;
}

export function callArguments(lines: readonly Line[], changes: readonly PastChange[]): Candidate[] {
  return changes.flatMap((change) => {
    const argument = argumentChangeOf(change);
    if (!argument) return [];
    const { name, position, count, added } = argument;
    const group = `${name}(\n${position}\n${added}`;
    return lines.flatMap(({ start, text }): Candidate[] =>
      callsIn(text, name)
        .filter((call) => call.arguments.length === count)
        .flatMap((call) => {
          const texts = added === null ? [null] : formsOf(added);
          return texts.map((now) => {
            const all = call.arguments.map((each) => text.slice(each.start, each.end).trim());
            all.splice(position, now === null ? 1 : 0, ...(now === null ? [] : [now]));
            const edit = { start: start + call.start, end: start + call.end, text: all.join(', ') };
            return {
              ...edit,
              generator: 'argument' as const,
              group,
              changes: [change],
              otherWords: now === added ? 0 : 1,
            };
          });
        }),
    );
  });
}

/** As it was written; and its name alone, if it was declared with a type or a value. */
function formsOf(added: string): string[] {
  const isDeclared = /[:=]|\s/.test(added);
  const name = /^(?:\w+\s+)*?&?\*?([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:[:=?]|$)/u.exec(added)?.[1];
  return isDeclared && name !== undefined ? [added, name] : [added];
}

function argumentChangeOf({ before, after }: PastChange): ArgumentChange | undefined {
  const [old, now] = [before[0], after[0]];
  if (old === undefined || now === undefined || before.length !== 1 || after.length !== 1) return undefined;
  const changes = changesBetween(old, now);
  const first = changes[0];
  if (!first || changes.length > 2) return undefined;
  for (const name of new Set(
    [...old.slice(0, first.start).matchAll(/([\p{L}_$][\p{L}\p{N}_$]*)\(/gu)].map((m) => m[1] ?? ''),
  )) {
    const [call, changed] = [callsIn(old, name), callsIn(now, name)].map((calls) =>
      calls.length === 1 ? calls[0] : undefined,
    );
    if (!call || !changed) continue;
    const [was, is] = [call, changed].map((each, i) =>
      each.arguments.map((one) => (i ? now : old).slice(one.start, one.end).trim()),
    );
    if (!was || !is || Math.abs(was.length - is.length) !== 1) continue;
    const [long, short] = was.length > is.length ? [was, is] : [is, was];
    const position = long.findIndex((each, i) => each !== short[i]);
    const isOne = short.every((each, i) => each === long[i < position ? i : i + 1]);
    if (isOne)
      return { name, position, count: was.length, added: was.length > is.length ? null : (is[position] ?? null) };
  }
  return undefined;
}

interface Call {
  /** Of what is between the brackets. */
  start: number;
  end: number;
  arguments: { start: number; end: number }[];
}

/** Calls that end on the line. */
function callsIn(line: string, name: string): Call[] {
  const calls: Call[] = [];
  for (let at = line.indexOf(`${name}(`); at !== -1; at = line.indexOf(`${name}(`, at + 1)) {
    if (/[\p{L}\p{N}_$]/u.test(line[at - 1] ?? '')) continue;
    const call = callFrom(line, at + name.length + 1);
    if (call) calls.push(call);
  }
  return calls;
}

function callFrom(line: string, start: number): Call | undefined {
  const parts: Call['arguments'] = [];
  let [depth, from, quote] = [0, start, ''];
  for (let i = start; i < line.length; i++) {
    const c = line[i] ?? '';
    if (quote !== '') {
      if (c === quote && line[i - 1] !== '\\') quote = '';
    } else if (/["'`]/.test(c)) quote = c;
    else if (/[([{]/.test(c)) depth++;
    else if (/[)\]}]/.test(c) && depth-- === 0) {
      if (line.slice(from, i).trim() !== '' || parts.length > 0) parts.push({ start: from, end: i });
      return { start, end: i, arguments: parts };
    } else if (c === ',' && depth === 0) {
      parts.push({ start: from, end: i });
      from = i + 1;
    }
  }
  return undefined;
}
