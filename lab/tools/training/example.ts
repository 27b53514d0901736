// An example of a completion: the prompt that the server makes at a place, and the tokens that the model should write.
import type { OpenDocument } from '../../../language-server/documents/open-document.ts';
import { anchoredAt, defaultLinesUp, placeAnchor } from '../../../language-server/prompt/anchor.ts';
import { promptBudget, tokenizeText, withGivenMiddle } from '../../../language-server/prompt/fim-prompt.ts';
import { type PromptPreamble, promptPreamble } from '../../../language-server/prompt/prompt-preamble.ts';
import { type CursorDocument, lineStartAbove } from '../../../language-server/prompt/text-window.ts';
import type { RelatedCode } from '../../../language-server/related-code/related-code.ts';
import { situationOf } from '../../../language-server/shape/confidence.ts';
import { type Place, placeAt } from '../../../language-server/shape/place.ts';
import type { Completer, Engine } from '../../../native/index.ts';
import type { Random } from '../gates/cut-places.ts';
import type { TypedPlace } from './typed-places.ts';
import { wantedAnswer } from './wanted-answer.ts';

export interface Example {
  /** The kind of the place, by which the server chooses a gate, and the rule that chose it. */
  situation: string;
  cut: string;
  prompt: number[];
  /** The text of the tokens that were removed before the cursor; the answer begins with it. */
  heal: string;
  /** The healed text and the text that should follow it, without the end token. */
  answer: number[];
  /** The text that should be written at the cursor, or after the line break that the server adds. */
  wanted: string;
  lineBreak: string;
  /** How many of the answer's first tokens lie entirely in the healed text. */
  healed: number;
}

const maxTokens = 2048;
const maxAnswer = 128;
/**
 * The context lengths for which prompts are made. For qwen2.5-coder, the server makes longer prompts in the same order,
 * but training on them would cost too much.
 */
const contexts = [1536, 2048, 3072, 4096];
const otherTokens = [0, 0, 96, 256, 256, 512];
/** In half of the places, up to this many lines were typed since the anchor was placed. */
const maxTyped = 14;

export async function exampleAt(
  engine: Engine,
  related: RelatedCode,
  own: OpenDocument,
  { cut, prefix, middle }: TypedPlace,
  random: Random,
): Promise<Example | null> {
  const cursor = { uri: own.uri, languageId: own.languageId, text: own.text, offset: prefix.length };
  const place = placeAt(cursor, 'auto');
  const model = withContext(engine, oneOf(contexts, random));
  const { prefixChars, suffixChars } = promptBudget(model.info.contextTokens);
  const budget = oneOf(otherTokens, random);
  const reach = { before: prefixChars, after: suffixChars };
  const snippets = budget === 0 ? [] : await related.gather(place.document, reach);
  const preamble = promptPreamble(model, related.placeOf(own.uri, own.languageId), snippets, budget);
  const typed = random() < 0.5 ? 0 : 1 + Math.floor(random() * maxTyped);
  const { anchor, given } = anchored(model, place.document, preamble, typed);
  const closers = leftOut(place, anchor.suffix);
  const wanted = closers === null ? null : wantedAnswer(place, middle, closers);
  if (wanted === null) return null;
  const { tokens, heal = new Uint8Array() } = withGivenMiddle(model, anchor.head, given);
  const healText = new TextDecoder().decode(heal);
  const answer = [...tokenizeText(model, healText + wanted)];
  if (healText.includes('\ufffd') || answer.length > maxAnswer || tokens.length + answer.length >= maxTokens)
    return null;
  let healed = 0;
  for (let bytes = 0; healed < answer.length; healed++) {
    bytes += model.tokenBytes(answer[healed] ?? 0).length;
    if (bytes > heal.length) break;
  }
  const { lineBreak } = place;
  return { situation: situationOf(place), cut, prompt: [...tokens], heal: healText, answer, wanted, lineBreak, healed };
}

/** typed: the number of lines typed since the anchor was placed. */
function anchored(model: Completer, document: CursorDocument, preamble: PromptPreamble, typed: number) {
  const { text, offset } = document;
  const { givenTokens } = promptBudget(model.info.contextTokens);
  const from = typed === 0 ? offset : lineStartAbove(text, offset, typed, 1500);
  const before = { ...document, text: text.with(from, offset, ''), offset: from };
  const first = placeAnchor(model, before, defaultLinesUp, preamble);
  if (typed === 0) return first;
  const later = anchoredAt(model, first.anchor, document);
  return later && later.given.length <= givenTokens ? later : placeAnchor(model, document, defaultLinesUp, preamble);
}

/** The text between the cursor and the suffix of the prompt; null if it is more than the closers of the line. */
function leftOut({ document, around }: Place, suffix: string): string | null {
  const { text, offset } = document;
  for (let end = offset; end <= offset + around.lineSuffix.length; end++)
    if (suffix === '' ? end === text.length : text.startsWith(suffix, end)) return text.slice(offset, end);
  return null;
}

function withContext(engine: Engine, contextTokens: number): Completer {
  return {
    info: { ...engine.info, contextTokens },
    tokenize: (text) => engine.tokenize(text),
    tokenBytes: (token) => engine.tokenBytes(token),
    generate: (...request) => engine.generate(...request),
    prefill: (...request) => engine.prefill(...request),
  };
}

function oneOf(numbers: readonly number[], random: Random): number {
  return numbers[Math.floor(random() * numbers.length)] ?? 0;
}
