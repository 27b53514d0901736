// Asks a model with one of Hearth's adapters (models/training/next-edit) to write edits: to the lines of the likeliest
// proposals, and to the lines around the cursor, where two thirds of all next edits are.
import type { Engine } from '../../../native/index.ts';
import { type EditedDocument, haveSameResult, type TextEdit } from '../text/text-edit.ts';
import type { EditQuestion } from './edit-question.ts';
import { type Answer, answerTo } from './generate-edit.ts';
import { askAboutLines, askAroundCursor, linesChangedBy } from './hearth-format.ts';
import { offeredPart } from './offered-part.ts';
import fitted from './writer-weights.json';

export interface Weighed {
  edit: TextEdit;
  /** The log-odds that the edit follows. */
  odds: number;
}

/**
 * How an edit is related to the model's answer. Asked about a proposal's lines, the model writes the `same` edit as the
 * proposal, leaves the lines `unchanged`, or writes another edit: the proposal is then `different`, and the model's own
 * edit is `instead`. Asked about the lines around the cursor, the model writes text `atCursor` or an edit `around` it.
 */
export const deeds = ['same', 'unchanged', 'different', 'instead', 'around', 'atCursor'] as const;
export type Deed = (typeof deeds)[number];

/** odds: the log-odds of the proposal, 0 if there is none. */
export interface Written extends Weighed {
  deed: Deed;
  /** The log-probability of the model's answer. */
  nats: number;
}

/** New log-odds = constant + odds * written.odds + nats * written.nats. */
export interface Weights {
  constant: number;
  odds: number;
  nats: number;
}

/** A lower log-probability of an answer is raised to this one. */
const minNats = -5;

/**
 * The proposals with new log-odds, and the edits that the model writes instead of them or around the cursor; empty if
 * aborted.
 */
export async function withWriter(
  engine: Engine,
  adapter: string,
  document: EditedDocument,
  proposals: readonly Weighed[],
  signal?: AbortSignal,
): Promise<Weighed[]> {
  const all = await writtenBy(engine, adapter, document, proposals, signal);
  return all.map((edit) => ('deed' in edit ? weighed(edit, fitted) : edit));
}

/** The proposals and the model's own edits. A proposal that the model cannot be asked about stays as it is. */
export async function writtenBy(
  engine: Engine,
  adapter: string,
  document: EditedDocument,
  proposals: readonly Weighed[],
  signal?: AbortSignal,
): Promise<(Weighed | Written)[]> {
  const answered = async (question: EditQuestion | undefined) =>
    question && !signal?.aborted ? await answerTo(engine, question, document.text, { signal, adapter }) : undefined;
  const all: (Weighed | Written)[] = aroundCursor(document, await answered(askAroundCursor(engine, document)));
  for (const proposal of proposals) {
    const lines = linesChangedBy(proposal.edit, document.text);
    const answer = await answered(askAboutLines(engine, document, lines));
    all.push(...(answer ? judged(proposal, answer, document.text) : [proposal]));
  }
  return signal?.aborted ? [] : all;
}

export function weighed({ edit, odds, deed, nats }: Written, weights: Record<Deed, Weights>): Weighed {
  const weight = weights[deed];
  return { edit, odds: weight.constant + weight.odds * odds + weight.nats * nats };
}

function aroundCursor(document: EditedDocument, answer: Answer | undefined): Written[] {
  const edit = answer?.edit ? offeredPart(answer.edit, document) : null;
  if (!answer || !edit) return [];
  const isAtCursor = edit.start === document.cursor && edit.end === document.cursor;
  return [{ edit, odds: 0, deed: isAtCursor ? 'atCursor' : 'around', nats: natsOf(answer) }];
}

/** The proposal, and the edit that the model writes instead, if any. answer: the one about the proposal's lines. */
function judged({ edit, odds }: Weighed, answer: Answer, text: string): Written[] {
  const [own, nats] = [answer.edit, natsOf(answer)];
  if (own === null) return [{ edit, odds, deed: 'unchanged', nats }];
  if (haveSameResult(text, edit, own)) return [{ edit, odds, deed: 'same', nats }];
  return [
    { edit, odds, deed: 'different', nats },
    { edit: own, odds, deed: 'instead', nats },
  ];
}

const natsOf = ({ logProbability }: Answer) => Math.max(minNats, logProbability);
