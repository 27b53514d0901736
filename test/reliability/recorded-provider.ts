// A provider that records what each text from the engine depends on: the place, the options and the anchor. From these
// a fresh engine must generate the same text.

import { type CompletionOptions, type GhostCompletion, generate } from '../../language-server/offers/complete.ts';
import type { Maker } from '../../language-server/offers/document-offers.ts';
import { CompletionProvider } from '../../language-server/offers/provider.ts';
import { optionsFor, WarmEngine } from '../../language-server/offers/warm-models.ts';
import { type Anchor, anchoredAt } from '../../language-server/prompt/anchor.ts';
import { Anchors } from '../../language-server/prompt/anchors.ts';
import type { CursorDocument } from '../../language-server/prompt/text-window.ts';
import type { Settings } from '../../language-server/protocol/messages.ts';
import type { RelatedCode } from '../../language-server/related-code/related-code.ts';
import type { Engine } from '../../native/index.ts';

export interface Made {
  place: CursorDocument;
  options: CompletionOptions;
  anchor: Anchor;
  completion: Promise<GhostCompletion>;
}

export class RecordedProvider extends CompletionProvider {
  readonly made: Made[] = [];

  protected override newWarmEngine(engine: Engine): WarmEngine {
    const { related } = this.options;
    return new RecordedWarmEngine(engine, related, this.made, new RecordedAnchors(engine, related));
  }
}

class RecordedAnchors extends Anchors {
  used: Anchor | null = null;

  constructor(engine: Engine, related?: RelatedCode) {
    super(engine, undefined, related?.placeOf);
  }

  protected override anchored(document: CursorDocument) {
    const anchored = super.anchored(document);
    this.used = anchored.anchor;
    return anchored;
  }
}

class RecordedWarmEngine extends WarmEngine {
  constructor(
    engine: Engine,
    related: RelatedCode | undefined,
    private readonly made: Made[],
    private readonly recorded: RecordedAnchors,
  ) {
    super(engine, undefined, related, recorded);
  }

  override maker(settings: Settings): Maker {
    const make = super.maker(settings);
    return (place, purpose) => (onGrowth, signal) => {
      this.recorded.used = null;
      const completion = make(place, purpose)(onGrowth, signal);
      // The prompt is made before the first await.
      const { used } = this.recorded;
      if (used === null) throw new Error('a text was made without an anchor');
      this.made.push({ place, options: optionsFor(purpose, settings), anchor: used, completion });
      return completion;
    };
  }
}

class GivenAnchors extends Anchors {
  constructor(
    private readonly fresh: Engine,
    private readonly given: Anchor,
  ) {
    super(fresh);
  }

  protected override anchored(document: CursorDocument) {
    const anchored = anchoredAt(this.fresh, this.given, document);
    if (!anchored) throw new Error('the recorded anchor does not fit its document');
    return anchored;
  }
}

/** The text that an engine generates with a cold cache and without drafts. */
export async function fromCold(engine: Engine, { place, options, anchor }: Made): Promise<GhostCompletion> {
  await engine.clearCache();
  const undrafted = new Proxy(engine, {
    get(target, name) {
      const generate: Engine['generate'] = (request, ...rest) =>
        target.generate({ ...request, speculate: false }, ...rest);
      if (name === 'generate') return generate;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return generate(undrafted, new GivenAnchors(undrafted, anchor), place, options);
}
