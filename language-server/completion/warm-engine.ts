// An engine and what is kept warm for it: anchors, prompts that are read before a key needs them, and documents that were
// left. All of this holds token ids, so it belongs to one engine.
import type { Engine, Timings } from '../../native/index.ts';
import type { RelatedCode } from '../context/related-code.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import type { Settings } from '../protocol.ts';
import { defaultLinesUp } from './anchor.ts';
import { Anchors } from './anchors.ts';
import { type CompletionOptions, complete, type GhostCompletion } from './complete.ts';
import type { Maker, Purpose } from './document-offers.ts';
import { LeftDocuments } from './left-documents.ts';
import { ReadAhead } from './read-ahead.ts';
import type { CursorDocument } from './text-window.ts';

/** Texts that an explicit request may choose from. */
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

  /** How the texts of offers are made. */
  maker(settings: Settings): Maker {
    return (place, purpose) => async (signal, onSuggestion) => {
      const options = optionsFor(purpose, settings);
      const made = await complete(this.engine, this.anchors, place, options, signal, onSuggestion);
      if (purpose !== 'ahead') this.onMade?.(made);
      return made;
    };
  }

  /** A key was pressed here: reads the next anchor's prompt if it is time for one. */
  follow(document: OpenDocument, place: CursorDocument): void {
    void this.readAhead.nextAnchor(place);
    this.leftDocuments.visit(document);
  }

  /** The cursor rests here: reads what a request will need. Null if something newer came. */
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
  // Whoever asks wants to see something.
  return purpose === 'choices' ? { ...options, alternatives: maxAlternatives, confidence: 'eager' } : options;
}
