// Random actions of a person in an editor: types, accepts, undoes, moves, deletes, edits elsewhere, changes the file or
// the settings, requests a suggestion, gives up, waits.

import { setTimeout as sleep } from 'node:timers/promises';
import { OpenDocument } from '../../language-server/documents/open-document.ts';
import type { Answer } from '../../language-server/offers/provider.ts';
import type { CursorDocument } from '../../language-server/prompt/text-window.ts';
import type { RelatedParams, Settings } from '../../language-server/protocol/messages.ts';
import { defaultSettings } from '../../language-server/protocol/settings.ts';
import type { EditorWindow } from '../../language-server/related-code/related-code.ts';
import type { Engine } from '../../native/index.ts';
import { loaded } from '../fixtures/fake-engine.ts';
import type { Random } from '../support/random.ts';
import type { RecordedProvider } from './recorded-provider.ts';

export interface Asked {
  place: CursorDocument;
  isInvoked: boolean;
  answer: Answer;
}

export class RandomEditor implements EditorWindow {
  readonly asked: Asked[] = [];
  provider: RecordedProvider | null = null;
  private current: OpenDocument;
  private offset: number;
  private readonly past: { text: string; offset: number }[] = [];
  private settings: Settings = { ...defaultSettings, 'completion.maxTokens': 24, 'completion.confidence': 'eager' };
  private readonly pending: Promise<unknown>[] = [];

  constructor(
    private readonly r: Random,
    private readonly engine: Engine,
    private readonly documents: OpenDocument[],
  ) {
    this.current = r.pick(documents);
    this.offset = r.below(this.current.text.length + 1);
  }

  openDocuments() {
    return this.documents;
  }

  folders() {
    return [{ uri: 'file:///work', name: 'work' }];
  }

  related({ documents }: RelatedParams) {
    return Promise.resolve({ defined: [], shared: documents });
  }

  async run(actions: number): Promise<void> {
    for (let i = 0; i < actions; i++) await this.act();
    await this.ask(false);
    await Promise.all(this.pending);
  }

  private async act(): Promise<void> {
    const { r } = this;
    const kind = r.below(16);
    if (kind < 2) await this.typeSome();
    else if (kind < 5) await this.typeAgain();
    else if (kind === 5) await this.acceptShown();
    else if (kind === 6) this.undo();
    else if (kind === 7) this.moveTo(r.below(this.current.text.length + 1));
    else if (kind === 8) this.replace(Math.max(0, this.offset - r.below(30)), this.offset, '');
    else if (kind === 9) this.replace(this.offset, Math.min(this.current.text.length, this.offset + r.below(30)), '');
    else if (kind === 10) this.editElsewhere();
    else if (kind === 11) this.goToDocument();
    else if (kind === 12) this.chooseSettings();
    else if (kind === 13) await this.ask(true);
    else if (kind === 14) await this.giveUp();
    else await this.restHere();
  }

  /** Types keys, and does not wait for the answers to some of them. */
  private async typeSome(): Promise<void> {
    const texts = [
      'const ',
      'return ',
      'this.',
      'if (',
      'for (const ',
      '\n',
      '\n  ',
      '{',
      ');\n',
      'x',
      ' = ',
      '// ',
      "'",
    ];
    for (const character of this.r.pick(texts)) {
      this.replace(this.offset, this.offset, character);
      if (this.r.chance(0.3)) await this.ask(false);
      else if (this.r.below(3) === 0) this.pending.push(this.ask(false));
    }
    await this.ask(false);
  }

  /** Deletes a part of the text and types it again, which the model can guess best. */
  private async typeAgain(): Promise<void> {
    const text = this.current.text.toString();
    const lineEnd = text.indexOf('\n', this.r.below(text.length + 1));
    const end = lineEnd === -1 ? text.length : lineEnd;
    const start = Math.max(text.lastIndexOf('\n', end - 1) + 1, end - 5 - this.r.below(20));
    this.replace(start, end, '');
    for (const character of text.slice(start, end)) {
      if (this.r.chance(0.6)) await this.ask(this.r.below(10) === 0);
      this.replace(this.offset, this.offset, character);
    }
    this.offset = end;
  }

  private async acceptShown(): Promise<void> {
    const { answer } = await this.ask(false);
    const [item] = answer.items;
    if (!item?.range) return;
    const text = String(item.insertText);
    const whole = this.r.chance(0.6) ? text.length : 1 + this.r.below(text.length);
    const end = whole === text.length ? this.current.offsetAt(item.range.end) : this.offset;
    this.replace(this.offset, end, text.slice(0, whole));
    await this.ask(false);
  }

  private async ask(isInvoked: boolean, signal?: AbortSignal): Promise<Asked> {
    const { current, offset } = this;
    const place = { uri: current.uri, languageId: current.languageId, text: current.text, offset };
    const context = { triggerKind: isInvoked ? (1 as const) : (2 as const) };
    const request = { document: current, position: current.positionAt(offset), context };
    const answer = await this.provider!.provide(request, loaded(this.engine), () => this.settings, signal);
    const asked = { place, isInvoked, answer };
    this.asked.push(asked);
    return asked;
  }

  private async giveUp(): Promise<void> {
    const controller = new AbortController();
    const asked = this.ask(this.r.chance(0.3), controller.signal);
    await sleep(this.r.below(20));
    controller.abort();
    await asked;
    if (this.r.chance(0.5)) this.provider!.leave(this.current.uri);
  }

  private async restHere(): Promise<void> {
    const request = { document: this.current, position: this.current.positionAt(this.offset) };
    const read = this.provider!.rest(request, { local: this.engine }, this.settings);
    if (this.r.chance(0.7)) await read;
    else this.pending.push(read);
  }

  private undo(): void {
    const before = this.past.pop();
    if (!before) return;
    this.set(before.text);
    this.offset = before.offset;
  }

  private moveTo(offset: number): void {
    this.offset = offset;
  }

  private replace(start: number, end: number, text: string): void {
    this.past.push({ text: this.current.text.toString(), offset: this.offset });
    const range = { start: this.current.positionAt(start), end: this.current.positionAt(end) };
    OpenDocument.update(this.current, [{ range, text }], this.current.version + 1);
    this.offset = start + text.length;
  }

  private set(text: string): void {
    OpenDocument.update(this.current, [{ text }], this.current.version + 1);
  }

  private editElsewhere(): void {
    const { offset } = this;
    const at = this.r.below(this.current.text.length + 1);
    const text = this.r.pick(['a', '\n', 'const added = 1;\n']);
    this.replace(at, at, text);
    this.offset = at <= offset ? offset + text.length : offset;
  }

  private goToDocument(): void {
    this.current = this.r.pick(this.documents);
    this.past.length = 0;
    this.offset = this.r.below(this.current.text.length + 1);
  }

  private chooseSettings(): void {
    this.settings = {
      ...this.settings,
      'completion.confidence': this.r.pick(['eager', 'balanced', 'calm'] as const),
      'completion.multiline': this.r.pick(['auto', 'always', 'never'] as const),
      'completion.maxTokens': this.r.pick([8, 24, 48]),
    };
  }
}
