// What kind of place the cursor is in. A text is right more often at some than at others, so each has a gate of its own
// in gates.json.
import type { Place } from './place.ts';
import { closersOnly } from './rest-of-line.ts';

/**
 *   fresh    a blank line
 *   block    an empty block, or an empty pair of brackets on lines of its own
 *   line     behind a character of a line that is no letter
 *   word     inside a word
 *   middle   before something else than closing brackets
 *   comment  in a comment
 *   prose    in Markdown and the like
 *   data     in JSON, YAML and the like
 */
export const situations = ['fresh', 'block', 'line', 'word', 'middle', 'comment', 'prose', 'data'] as const;

export type Situation = (typeof situations)[number];

export function situationOf({ language, within, around, extent, lineBreak }: Place): Situation {
  if (language.family === 'prose') return 'prose';
  if (language.family === 'data') return 'data';
  if (within === 'comment') return 'comment';
  if (lineBreak !== '') return 'block';
  if (around.lineSuffix.trim() !== '' && !closersOnly.test(around.lineSuffix)) return 'middle';
  if (around.linePrefix.trim() === '') return extent === 'block' ? 'block' : 'fresh';
  return /\w$/.test(around.linePrefix) ? 'word' : 'line';
}
