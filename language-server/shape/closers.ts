// Guesses from the indentation of a text's lines which closers its open blocks need.
import type { Grammar } from '../syntax/grammars.ts';
import { depthOf, indentationOf } from './indentation.ts';
import type { Place } from './place.ts';
import { closerOf } from './signs.ts';

const branchArrow = /(?:=>|->)$/;

export interface Closers {
  /** Line breaks with a line each, one of which might close the block. */
  choices: string[];
  /** Whether the block might be one branch of several and have no closer of its own. */
  isBranch: boolean;
}

/** For each line of the text that has deeper lines below, what might close its block; the innermost block first. */
export function closersOf({ around, lineBreak }: Place, text: string, grammar: Grammar): Closers[] {
  const written = lineBreak === '' ? around.linePrefix + text : lineBreak.slice(1) + text.trimStart();
  const lines = written.split('\n').filter((line) => line.trim() !== '');
  const closers: Closers[] = [];
  let depth = depthOf(lines.pop() ?? '');
  for (const line of lines.reverse()) {
    if (depthOf(line) >= depth) continue;
    depth = depthOf(line);
    const choices = closersOfHead(line.trimEnd(), grammar).map((closer) => `\n${indentationOf(line)}${closer}`);
    closers.push({ choices, isBranch: branchArrow.test(line.trimEnd()) });
  }
  return closers;
}

function closersOfHead(head: string, { closers }: Grammar): readonly string[] {
  const [, name] = /<([\w.:-]+)(?:\s[^<>]*)?>$/.exec(head) ?? [];
  if (name !== undefined) return [`</${name}>`];
  if (!/[{([]$/.test(head)) return closers;
  let open = '';
  for (const sign of head) {
    const closer = closerOf[sign];
    if (closer) open = closer + open;
    else if (open.startsWith(sign)) open = open.slice(1);
  }
  return [open];
}
