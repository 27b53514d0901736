// Asks a model with one of Hearth's adapters (models/training/next-edit) to write edits itself: the lines of the likeliest
// proposals, and the lines around the cursor, where two thirds of all next edits are.
import type { Engine } from '../../../native/index.ts';
import { comesToTheSame, type EditedDocument, type TextEdit } from '../text/text-edit.ts';
import type { EditQuestion } from './edit-question.ts';
import { type Answer, answerTo } from './generate-edit.ts';
import { askAboutLines, askAroundCursor, linesChangedBy } from './hearth-format.ts';
import { offeredPart } from './offered-part.ts';
import fitted from './writer-weights.json';

/** An edit, and the logarithm of the odds that it follows. */
export interface Weighed {
  edit: TextEdit;
  odds: number;
}

/**
 * What the model has done: of a proposal's lines, it has written the `same` edit, left them `unchanged`, or written
 * something `different`, which is an edit `instead` of the proposal. Without a proposal, it has written text `atCursor`,
 * or an edit `around` it.
 */
export const deeds = ['same', 'unchanged', 'different', 'instead', 'around', 'atCursor'] as const;
export type Deed = (typeof deeds)[number];

/** odds: those of the proposal, 0 without one. nats: the log-probability of the answer. */
export interface Written extends Weighed {
  deed: Deed;
  nats: number;
}

/** The new log-odds are constant + odds * those of the proposal + nats * the log-probability of the answer. */
export interface Weights {
  constant: number;
  odds: number;
  nats: number;
}

/** Less probable answers say no more. */
const minNats = -5;

/** The edits with new odds, and the edits that the model writes instead of them or around the cursor; none if aborted. */
export async function withWriter(
  engine: Engine,
  adapter: string,
  document: EditedDocument,
  likely: readonly Weighed[],
  signal?: AbortSignal,
): Promise<Weighed[]> {
  const all = await writtenBy(engine, adapter, document, likely, signal);
  return all.map((each) => ('deed' in each ? weighed(each, fitted) : each));
}

/** What the model says about the edits and writes besides. An edit about which it cannot be asked stays as it is. */
export async function writtenBy(
  engine: Engine,
  adapter: string,
  document: EditedDocument,
  likely: readonly Weighed[],
  signal?: AbortSignal,
): Promise<(Weighed | Written)[]> {
  const answered = async (question: EditQuestion | undefined) =>
    question && !signal?.aborted ? await answerTo(engine, question, document.text, { signal, adapter }) : undefined;
  const all: (Weighed | Written)[] = aroundCursor(document, await answered(askAroundCursor(engine, document)));
  for (const each of likely) {
    const lines = linesChangedBy(each.edit, document.text);
    const answer = await answered(askAboutLines(engine, document, lines));
    all.push(...(answer ? judged(each, answer, document.text) : [each]));
  }
  return signal?.aborted ? [] : all;
}

export function weighed({ edit, odds, deed, nats }: Written, weights: Record<Deed, Weights>): Weighed {
  const of = weights[deed];
  return { edit, odds: of.constant + of.odds * odds + of.nats * nats };
}

function aroundCursor(document: EditedDocument, answer: Answer | undefined): Written[] {
  const edit = answer?.edit ? offeredPart(answer.edit, document) : null;
  if (!answer || !edit) return [];
  const isAtCursor = edit.start === document.cursor && edit.end === document.cursor;
  return [{ edit, odds: 0, deed: isAtCursor ? 'atCursor' : 'around', nats: natsOf(answer) }];
}

/** The proposal, and what the model writes instead of it. answer: about the lines of the proposal. */
function judged({ edit, odds }: Weighed, answer: Answer, text: string): Written[] {
  const [own, nats] = [answer.edit, natsOf(answer)];
  if (own === null) return [{ edit, odds, deed: 'unchanged', nats }];
  if (comesToTheSame(text, edit, own)) return [{ edit, odds, deed: 'same', nats }];
  return [
    { edit, odds, deed: 'different', nats },
    { edit: own, odds, deed: 'instead', nats },
  ];
}

const natsOf = ({ logProbability }: Answer) => Math.max(minNats, logProbability);
