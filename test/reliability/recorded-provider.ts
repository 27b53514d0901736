// A provider that records, for every text that the engine generates, what it depends on: the place, the options and the
// anchor. A fresh engine must generate the same text from these.

import {
  type CompletionOptions,
  type Generation,
  type GhostCompletion,
  generate,
  resultOf,
} from '../../language-server/offers/complete.ts';
import { CompletionProvider } from '../../language-server/offers/provider.ts';
import { optionsFor, WarmEngine } from '../../language-server/offers/warm-models.ts';
import { type Anchor, anchoredAt } from '../../language-server/prompt/anchor.ts';
import { Anchors } from '../../language-server/prompt/anchors.ts';
import type { CursorDocument } from '../../language-server/prompt/text-window.ts';
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

  override async *generate(...asked: Parameters<WarmEngine['generate']>): Generation {
    const [place, purpose, settings] = asked;
    this.recorded.used = null;
    const generation = super.generate(...asked);
    // The prompt is made before anything is waited for.
    const first = generation.next();
    const { used } = this.recorded;
    if (used === null) throw new Error('a text was made without an anchor');
    const [whole, isWhole, hasFailed] = deferred<GhostCompletion>();
    this.made.push({ place, options: optionsFor(purpose, settings), anchor: used, completion: whole });
    try {
      let step = await first;
      for (; !step.done; step = await generation.next()) yield step.value;
      isWhole(step.value);
      return step.value;
    } catch (error) {
      hasFailed(error);
      throw error;
    }
  }
}

/** A promise with the functions that settle it. */
function deferred<T>(): [Promise<T>, (value: T) => void, (error: unknown) => void] {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((...settle) => {
    [resolve, reject] = settle;
  });
  return [promise, resolve, reject];
}

class GivenAnchors extends Anchors {
  constructor(
    private readonly fresh: Engine,
    private readonly given: Anchor,
  ) {
    super(fresh);
  }

  protected override anchored(document: CursorDocument) {
    return anchoredAt(this.fresh, this.given, document);
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
  return resultOf(generate(undrafted, new GivenAnchors(undrafted, anchor), place, options));
}
