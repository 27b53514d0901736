// Reads a file with the texts that a model has written at places, and plays them back. Rules and gates only decide
// where a text ends, so they can be measured without the model.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { GrowingText } from '../../../language-server/offers/growing-text.ts';
import { languageIdOf } from '../../../language-server/prompt/document-path.ts';
import type { CursorDocument } from '../../../language-server/prompt/text-window.ts';
import type { Gate } from '../../../language-server/shape/confidence.ts';
import { GeneratedText } from '../../../language-server/shape/generated-text.ts';
import { type Place, placeAt } from '../../../language-server/shape/place.ts';
import { type GhostText, toGhostText } from '../../../language-server/shape/shape.ts';
import { languageIds } from '../../../language-server/syntax/grammars.ts';
import { loadGrammar } from '../../../language-server/syntax/runtime.ts';
import { budget } from '../../../language-server/syntax/syntax-tree.ts';
import type { FimCase } from '../eval-score.ts';
import { readJsonLines } from '../input.ts';
import { offsetAt, readTrace, statesOf, textAfter } from '../trace.ts';

export const maxTokens = 48;

/**
 * Loads all grammars, which are needed to find places, and gives syntax trees so much time that the figures do not
 * depend on other work of the machine.
 */
export async function loadGrammars(): Promise<void> {
  budget.ms = 1000;
  for (const id of languageIds) await loadGrammar(id);
}

export interface RecordedPlace extends FimCase {
  id: string;
  /**
   * The text that the user writes at the cursor: the middle of a place cut out of a file; in a session, all text still
   * to be typed.
   */
  wanted: string;
}

/** The part of ModelInfo that chooses the gates. */
export interface RecordedModel {
  name: string;
}

export interface Recording {
  /**
   * After the opener of an empty block: the line break and indentation in the prompt, which is made as if Enter had
   * been pressed. If a place has a different one, the recording is of another prompt.
   */
  lineBreak: string;
  /** The tokens' texts, with the natural logarithms of their probabilities. */
  pieces: [text: string, logProbability: number][];
  /** Whether the model ended the text itself. */
  isEnded: boolean;
}

/** The places cut out of files: the folder's cuts.jsonl, or cases for `eval`. */
export function readCuts(path: string): RecordedPlace[] {
  return readJsonLines(path).map(({ entry, line }) => {
    const cut = entry as unknown as FimCase;
    return { ...cut, id: `cut:${line}`, wanted: cut.middle };
  });
}

/** The names of the session files in a folder. */
export function sessionFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('session-'));
}

/** The places in each of the folder's sessions, one place per key. */
export function readSessions(folder: string): RecordedPlace[][] {
  return sessionFiles(folder).map((name) => {
    const trace = readTrace(join(folder, name));
    const { text, edits } = trace;
    const charactersBelow = edits[0] ? text.length - offsetAt(text, edits[0]) : 0;
    const final = textAfter(trace, edits.length - 1);
    return statesOf(trace).map(({ before, after }, i) => {
      const wanted = final.slice(before.length, final.length - charactersBelow);
      const place = {
        language: languageIdOf(trace.name),
        path: trace.name,
        kind: 'typed',
        prefix: before,
        suffix: after,
      };
      return { ...place, middle: wanted, wanted, id: `${name}:${i}` };
    });
  });
}

export function cursorDocument({ path, language, prefix, suffix }: FimCase): CursorDocument {
  return { uri: path, languageId: language, text: LongText.of(prefix + suffix), offset: prefix.length };
}

/**
 * The text that an editor would show; null if the prompt for the place would differ from the recorded one, so that the
 * model must be asked again.
 */
export function play(at: Place, recording: Recording, gate: Gate): GhostText | null {
  if (at.lineBreak !== recording.lineBreak) return null;
  const growing = new GrowingText(at, gate, maxTokens);
  for (const [text, logProbability] of recording.pieces) {
    growing.add(text, logProbability);
    if (growing.isEnough) break;
  }
  return growing.ghostText(recording.isEnded);
}

/** Like play(), with a tenth of the work: it does not keep text that was shown early. */
export function playWhole(at: Place, { lineBreak, pieces, isEnded }: Recording, gate: Gate): GhostText | null {
  if (at.lineBreak !== lineBreak) return null;
  const generated = new GeneratedText(isEnded);
  for (const [text, logProbability] of pieces) generated.append(text, logProbability);
  return toGhostText(generated, at, gate);
}

/** The recordings by the ids of their places, and the model that wrote them. */
export function readRecordings(path: string): { model: RecordedModel; recordings: Map<string, Recording> } {
  const [head, ...rest] = readJsonLines(path).map(({ entry }) => entry);
  if (typeof head?.name !== 'string') throw new Error(`${path}: the first line should name the model`);
  return {
    model: head as unknown as RecordedModel,
    recordings: new Map(rest.map((entry) => [String(entry.id), entry as unknown as Recording])),
  };
}

/**
 * The recording of a perfect model: it writes the wanted text, and at one place in three it is unsure of one word. The
 * shown text depends only on the rules.
 */
export function perfectRecording(place: RecordedPlace, random: () => number): Recording {
  const words = place.wanted.slice(0, 600).match(/\w+|\n[ \t]*|[ \t]+|[^\w\s]/g) ?? [];
  const unsure = random() < 1 / 3 ? Math.floor(random() * Math.min(words.length, maxTokens)) : -1;
  const pieces = words
    .slice(0, maxTokens)
    .map((word, i): Recording['pieces'][number] => [word, i === unsure ? Math.log(0.02) : -0.001]);
  const { lineBreak } = placeAt(cursorDocument(place), 'auto');
  return { lineBreak, pieces, isEnded: words.length <= maxTokens && place.wanted.length <= 600 };
}
