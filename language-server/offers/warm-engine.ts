// An engine together with the state that keeps its cache warm: anchors, prompts evaluated ahead, and documents that the
// user has left. The state holds token ids, so it is of use for this engine only.
import type { Completer, Timings } from '../../native/index.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import { defaultLinesUp } from '../prompt/anchor.ts';
import { Anchors } from '../prompt/anchors.ts';
import { canFillInTheMiddle } from '../prompt/fim-prompt.ts';
import { LeftDocuments } from '../prompt/left-documents.ts';
import { ReadAhead } from '../prompt/read-ahead.ts';
import type { RelatedCode } from '../prompt/related-code.ts';
import type { CursorDocument } from '../prompt/text-window.ts';
import type { Settings } from '../protocol/messages.ts';
import { stricter } from '../rules/confidence.ts';
import { type CompletionOptions, type Generation, type GhostCompletion, generate } from './complete.ts';
import type { Purpose } from './document-offers.ts';

/** How many texts an explicit request can choose from. */
const maxAlternatives = 3;

export class WarmEngine {
  private readonly readAhead: ReadAhead;
  private readonly leftDocuments: LeftDocuments;

  constructor(
    readonly engine: Completer,
    private readonly onMade?: (made: GhostCompletion) => void,
    related?: RelatedCode,
    private readonly anchors = new Anchors(engine, defaultLinesUp, related?.placeOf),
  ) {
    this.readAhead = new ReadAhead(engine, anchors, related?.gather);
    this.leftDocuments = new LeftDocuments(engine);
  }

  get canComplete(): boolean {
    return canFillInTheMiddle(this.engine);
  }

  /** Generates the text of an offer. */
  async *generate(document: CursorDocument, purpose: Purpose, settings: Settings, signal: AbortSignal): Generation {
    const made = yield* generate(this.engine, this.anchors, document, optionsFor(purpose, settings), signal);
    if (purpose !== 'ahead') this.onMade?.(made);
    return made;
  }

  /** Call after each key: evaluates the prompt of the next anchor, if one is due. */
  follow(open: OpenDocument, document: CursorDocument): void {
    void this.readAhead.nextAnchor(document);
    this.leftDocuments.visit(open);
  }

  /** Call when the cursor rests: evaluates the prompt there. Null if that was aborted. */
  rest(document: CursorDocument): Promise<Timings | null> {
    return this.readAhead.aroundCursor(document);
  }

  forget(uri: string): void {
    this.readAhead.cancel(uri);
    this.leftDocuments.forget(uri);
    this.anchors.forget(uri);
  }

  stopReading(): void {
    this.readAhead.cancelAll();
  }

  /** Stops all work and frees what the engine keeps for these documents. */
  close(): void {
    this.stopReading();
    this.anchors.forgetAll();
  }
}

export function optionsFor(purpose: Purpose, settings: Settings): CompletionOptions {
  const options: CompletionOptions = {
    maxTokens: settings['completion.maxTokens'],
    multiline: settings['completion.multiline'],
    confidence: settings['completion.confidence'],
  };
  if (purpose === 'ahead') return { ...options, priority: 'background' };
  if (purpose === 'careful') return { ...options, confidence: stricter(settings['completion.confidence']) };
  // An explicit request shows even unlikely texts.
  return purpose === 'choices' ? { ...options, alternatives: maxAlternatives, confidence: 'eager' } : options;
}
