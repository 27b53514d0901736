// Ghost text while it is being written. A model that needs longer for a line than a person for a key would never show
// any: the next key cancels it. So the answer is what there is after a moment; when the rest has come the client is told,
// asks again, and gets the whole from memory.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type InlineCompletionContext,
  type InlineCompletionItem,
  InlineCompletionTriggerKind,
  type Position,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { noTimings } from './complete.ts';
import type { Answer } from './provider.ts';

// Keys come every 120 to 200 ms.
export const defaultMomentMs = 90;

/** An item that grows while the model writes. */
export class GrowingItem {
  item: InlineCompletionItem | null = null;
  private begin: () => void = () => {};
  readonly begun = new Promise<void>((resolve) => {
    this.begin = resolve;
  });

  grow(item: InlineCompletionItem): void {
    this.item = item;
    this.begin();
  }
}

export class EarlyAnswers {
  private toldOf = '';

  /** tell: the rest of the text offered at this place, of this version of the document, has come. */
  constructor(
    private readonly tell: (uri: string, version: number, position: Position) => void,
    private readonly momentMs = defaultMomentMs,
  ) {}

  /** A client that asks again because it was told to has no wish of its own. */
  wishOf(document: TextDocument, position: Position, context: InlineCompletionContext): InlineCompletionContext {
    if (placeKey(document, position) !== this.toldOf) return context;
    this.toldOf = '';
    return { ...context, triggerKind: InlineCompletionTriggerKind.Automatic };
  }

  /** The whole answer if it comes in a moment. Else what there is by then, and onWhole gets the whole when it comes. */
  async answer(
    document: TextDocument,
    position: Position,
    growing: GrowingItem,
    whole: Promise<Answer>,
    onWhole: (answer: Answer) => void,
  ): Promise<Answer> {
    const { uri, version } = document;
    const place = placeKey(document, position);
    const moment = Promise.all([sleep(this.momentMs, undefined, { ref: false }), growing.begun]);
    const inTime = await Promise.race([whole, moment.then(() => null)]);
    if (inTime || !growing.item) return whole;
    const { item } = growing;
    void whole.then(
      (answer) => {
        onWhole(answer);
        const text = answer.items[0]?.insertText;
        if (text === undefined || text === item.insertText) return;
        this.toldOf = place;
        this.tell(uri, version, position);
      },
      () => {}, // it has failed for a request that is answered
    );
    return { items: [item], reason: 'not-whole-yet', finishReason: 'length', timings: noTimings };
  }
}

function placeKey({ uri, version }: TextDocument, { line, character }: Position): string {
  return `${uri} ${version}:${line}:${character}`;
}
