// Where a text meets what stands right of the cursor.
import type { Place } from './place.ts';
import { scan } from './scanner.ts';

const operandStart = /^["'`\w!~$@]/;
const operandEnd = /[\w)\]}"'`]$/;
const connectorEnd =
  /(?:[=+\-*/%<>&|^!?:,.({[]|\b(?:return|await|new|in|of|not|and|or|else|typeof|const|let|var|case|yield|throw))\s*$/;
const connectorWord = /^\s+(?:as|in|of|if|else|is|and|or|instanceof|not|from|for|where)\b/;

/** Whether the text says all that the rest says, and more, up to the same end, with brackets as the rest has them. */
export function replacesRest(text: string, rest: string, { language, open }: Place): boolean {
  const wanted = words(rest);
  const given = words(text);
  if (given.at(-1) !== wanted.at(-1)) return false;
  let found = 0;
  for (const word of given) if (word === wanted[found]) found++;
  const [of, by] = [scan(rest, language, open), scan(text, language, open)];
  return found === wanted.length && of.open.length === by.open.length && of.outer.length === by.outer.length;
}

function words(text: string): string[] {
  return text.match(/\w+|[^\w\s]/g) ?? [];
}

/** Whether an operand meets an operator, or a closer, where the text meets the rest. */
export function joins(text: string, rest: string): boolean {
  if (/[;{]\s*$/.test(text)) return false;
  const meetsOperand = operandStart.test(rest.trimStart()) && !connectorWord.test(rest);
  return meetsOperand ? connectorEnd.test(text) : operandEnd.test(text.trimEnd());
}

/** Where the text ends without what it has in common with the rest of the cursor's line. */
export function withoutOverlap(text: string, rest: string): number {
  const written = text.trimEnd();
  const shared = sharedLength(written, rest.trim());
  return shared === 0 ? text.length : written.length - shared;
}

/** Length of the longest end of the text with which the rest begins; a word counts whole or not at all. */
function sharedLength(text: string, rest: string): number {
  for (let length = Math.min(text.length, rest.length); length > 0; length--) {
    const at = text.length - length;
    const splitsWord = /\w\w/.test(text.slice(at - 1, at + 1)) || /\w\w/.test(rest.slice(length - 1, length + 1));
    if (!splitsWord && text.endsWith(rest.slice(0, length))) return length;
  }
  return 0;
}
