// An engine together with the state that keeps its cache warm: anchors, prompts evaluated ahead, and documents that the
// user has left. The state holds token ids, so it is of use for this engine only.
import type { Engine, Timings } from '../../native/index.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import { defaultLinesUp } from '../prompt/anchor.ts';
import { Anchors } from '../prompt/anchors.ts';
import { LeftDocuments } from '../prompt/left-documents.ts';
import { ReadAhead } from '../prompt/read-ahead.ts';
import type { RelatedCode } from '../prompt/related-code.ts';
import type { CursorDocument } from '../prompt/text-window.ts';
import type { Settings } from '../protocol/messages.ts';
import { type CompletionOptions, complete, type GhostCompletion } from './complete.ts';
import type { Maker, Purpose } from './document-offers.ts';

/** How many texts an explicit request can choose from. */
const maxAlternatives = 3;

export class WarmEngine {
  private readonly readAhead: ReadAhead;
  private readonly leftDocuments: LeftDocuments;

  constructor(
    readonly engine: Engine,
    private readonly onMade?: (made: GhostCompletion) => void,
    related?: RelatedCode,
    private readonly anchors = new Anchors(engine, defaultLinesUp, related?.placeOf),
  ) {
    this.readAhead = new ReadAhead(engine, anchors, related?.gather);
    this.leftDocuments = new LeftDocuments(engine);
  }

  /** Returns the function that generates the texts of offers. */
  maker(settings: Settings): Maker {
    return (place, purpose) => async (signal, onSuggestion) => {
      const options = optionsFor(purpose, settings);
      const made = await complete(this.engine, this.anchors, place, options, signal, onSuggestion);
      if (purpose !== 'ahead') this.onMade?.(made);
      return made;
    };
  }

  /** Call after each key: evaluates the prompt of the next anchor, if one is due. */
  follow(document: OpenDocument, place: CursorDocument): void {
    void this.readAhead.nextAnchor(place);
    this.leftDocuments.visit(document);
  }

  /** Call when the cursor rests: evaluates the prompt there. Null if that was aborted. */
  rest(place: CursorDocument): Promise<Timings | null> {
    return this.readAhead.aroundCursor(place);
  }

  forget(uri: string): void {
    this.readAhead.cancel(uri);
    this.leftDocuments.forget(uri);
    this.anchors.forget(uri);
  }

  stopReading(): void {
    this.readAhead.cancelAll();
  }
}

export function optionsFor(purpose: Purpose, settings: Settings): CompletionOptions {
  const options: CompletionOptions = {
    maxTokens: settings['completion.maxTokens'],
    multiline: settings['completion.multiline'],
    confidence: settings['completion.confidence'],
  };
  if (purpose === 'ahead') return { ...options, priority: 'background' };
  // An explicit request shows even unlikely texts.
  return purpose === 'choices' ? { ...options, alternatives: maxAlternatives, confidence: 'eager' } : options;
}
