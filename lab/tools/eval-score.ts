// Scores the answers to the cases of `eval`: a score for each answer, and the figures for all.
import { commonPrefixLength, mean, percentile } from './statistics.ts';

export interface FimCase {
  language: string;
  path: string;
  kind: string;
  prefix: string;
  suffix: string;
  middle: string;
}

export interface EvalAnswer {
  /** The text that would be shown and inserted at the cursor; "" for nothing. */
  text: string;
  /** The number of the suffix's characters that the text replaces. */
  replaces: number;
  /** The probability of the text; null if the layout does not compute one. */
  probability: number | null;
  /** The reason for showing nothing. */
  reason: string | null;
  ms: number;
  tokens: number;
}

/**
 * Converts an answer for programs that only insert the text between prefix and suffix. If the text ends with the
 * characters that it replaces, removes them from the text and sets `replaces` to 0. Otherwise returns the answer
 * unchanged.
 */
export function insertable<T extends Pick<EvalAnswer, 'text' | 'replaces'>>(answer: T, suffix: string): T {
  const { text, replaces } = answer;
  const replaced = suffix.slice(0, replaces);
  if (replaces === 0 || !text.endsWith(replaced)) return answer;
  return { ...answer, text: text.slice(0, -replaces), replaces: 0 };
}

export type CaseScore = ReturnType<typeof scoreOf> & Pick<EvalAnswer, 'ms' | 'tokens'>;

export type Figures = ReturnType<typeof figuresOf>;

export type Insertion = Pick<EvalAnswer, 'text' | 'replaces'>;
type Original = Pick<FimCase, 'middle' | 'suffix'>;

/** choices: all texts that are offered, the answer first. */
export function scoreOf(answer: Insertion, original: Original, choices = [answer]) {
  const { text, replaces } = answer;
  const { middle, suffix } = original;
  const truth = middle + suffix.slice(0, replaces);
  const [wanted, got] = [truth.trimEnd(), text.trimEnd()];
  // Characters are right up to the first one that differs from the original text; the rest is wrong.
  const charactersRight = commonPrefixLength(text, truth);
  return {
    exactMatch: Number(got === wanted),
    firstLine: Number(hasFirstLine(answer, original)),
    firstLineOfAny: Number(choices.some((choice) => hasFirstLine(choice, original))),
    choices: choices.filter((each) => each.text !== '').length,
    editSimilarity: editSimilarity(got, wanted),
    shown: Number(text !== ''),
    charactersRight,
    charactersWrong: text.length - charactersRight,
  };
}

/** Whether the text's first line that is not blank is that of the original. */
function hasFirstLine({ text, replaces }: Insertion, { middle, suffix }: Original): boolean {
  const firstLine = (all: string) => /^\s*[^\n]*/.exec(all)?.[0].trimEnd();
  return text.trimEnd() !== '' && firstLine(text) === firstLine(middle + suffix.slice(0, replaces));
}

/** Rates are fractions from 0 to 1; characters are sums; ms and tokens are per case. */
export function figuresOf(scores: CaseScore[]) {
  const all = (key: keyof CaseScore) => scores.map((score) => score[key]);
  const total = (key: keyof CaseScore) => all(key).reduce((sum, value) => sum + value, 0);
  const [charactersRight, charactersWrong] = [total('charactersRight'), total('charactersWrong')];
  return {
    cases: scores.length,
    exactMatch: mean(all('exactMatch')),
    firstLine: mean(all('firstLine')),
    firstLineOfAny: mean(all('firstLineOfAny')),
    choicesPerCase: mean(all('choices')),
    editSimilarity: mean(all('editSimilarity')),
    /** The number of cases in which something is shown. */
    shown: total('shown'),
    charactersRight,
    charactersWrong,
    keystrokesSaved: charactersRight - charactersWrong,
    msP50: percentile(all('ms'), 0.5),
    msP95: percentile(all('ms'), 0.95),
    tokensPerCase: mean(all('tokens')),
  };
}

/** 1 - edit distance / length of the longer: 1 for equal texts, 0 for texts with nothing in common. */
export function editSimilarity(a: string, b: string): number {
  const longer = Math.max(a.length, b.length);
  return longer === 0 ? 1 : 1 - editDistance(a, b) / longer;
}

/** Levenshtein's distance, one row of the table at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
