// Guesses from the indentation of a text's lines which closers its open blocks need.
import type { Grammar } from '../syntax/grammars.ts';
import { OpenDelimiters } from './delimiters.ts';
import { depthOf, indentationOf } from './indentation.ts';
import type { Place } from './place.ts';

/**
 * For each line of the text with deeper lines below it, the closers that its block might need: each is a line break
 * with a line. The innermost block comes first.
 */
export function closersOf({ around, lineBreak }: Place, text: string, grammar: Grammar): string[][] {
  const written = lineBreak === '' ? around.linePrefix + text : lineBreak.slice(1) + text.trimStart();
  const lines = written.split('\n').filter((line) => line.trim() !== '');
  const last = lines.pop() ?? '';
  const [, element] = /<([\w.:-]+)(?:\s[^<>]*)?>[^<>\n]+$/.exec(last) ?? [];
  const closers = element && grammar.elements ? [[`</${element}>`]] : [];
  let depth = depthOf(last);
  for (const line of lines.reverse()) {
    if (depthOf(line) >= depth) continue;
    depth = depthOf(line);
    closers.push(closersOfHead(line.trimEnd(), grammar).map((closer) => `\n${indentationOf(line)}${closer}`));
  }
  return closers;
}

function closersOfHead(head: string, { closers }: Grammar): readonly string[] {
  const [, name] = /<([\w.:-]+)(?:\s[^<>]*)?>$/.exec(head) ?? [];
  if (name !== undefined) return [`</${name}>`];
  return /[{([]$/.test(head) ? [OpenDelimiters.in(head).brackets] : closers;
}
