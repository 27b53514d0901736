// Drives the real language server like an editor with one document in front and perhaps other open files. Times edits
// and completions.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CancellationToken,
  CancellationTokenSource,
  type InlineCompletionItem,
} from 'vscode-languageserver-protocol/node';
import { backendOf, count, engineOptions, type Options, text, type Values } from '../../language-server/cli/command.ts';
import { bundledModelPath } from '../../language-server/engine/load-model.ts';
import { languageIdOf } from '../../language-server/prompt/document-path.ts';
import {
  type RelatedParams,
  type RelatedResult,
  relatedRequest,
  type ServerStatus,
} from '../../language-server/protocol/messages.ts';
import type { Eagerness, NextEditAnswer } from '../../language-server/protocol/next-edit-messages.ts';
import { defaultSettings } from '../../language-server/protocol/settings.ts';
import { LspClient } from '../../test/support/lsp-client.ts';
import { node } from '../../test/support/program.ts';
import { cursorAfter, type Edit, type Position, type Trace, textAfter } from './trace.ts';

const askAgainMs = 20;
/** After this pause, the editor asks for a next edit, as in extension/next-edit/patience.ts. */
const pauseMs = 800;
const folder = { uri: 'file:///replay', name: 'replay' };

export function serverOptions(maxTokens: number): Options {
  const { model, backend, gpu, threads } = engineOptions;
  return {
    ...{ model, backend, gpu, threads },
    'max-tokens': {
      type: 'string',
      short: 'n',
      value: 'N',
      default: String(maxTokens),
      help: `maximum tokens of a completion; default: ${maxTokens}`,
    },
    beside: {
      type: 'string',
      value: 'FOLDER',
      help: "also open the folder's files in the same language, and share their code",
    },
    'next-edit': {
      type: 'string',
      value: 'MODE',
      help: 'also ask for a next edit in each pause: calm, balanced, eager',
    },
    cache: { type: 'string', value: 'MIB', help: "memory for the page cache; default: the editor's default" },
  };
}

export interface Answer {
  /** The suggestion at the cursor; null if there is none. */
  text: string | null;
  /** The number of characters after the cursor that the text replaces. */
  replaces: number;
  /** Whether the next key cancelled the request before it was answered. */
  isCancelled: boolean;
  /** The time until the first text, or until an answer without text; null if the next key came first. */
  firstTextMs: number | null;
  fullMs: number;
}

export interface Pending {
  answer: Promise<Answer>;
  cancel: () => void;
}

export class ReplayEditor {
  private statusesSeen = 0;
  private evaluated = 0;
  private stopSearching = () => {};
  private uri = '';

  private constructor(
    private readonly client: LspClient,
    private readonly wantsEdits: boolean,
  ) {}

  /**
   * Starts the server, opens the trace's document and waits for the model. asksAgain: the server may answer with text
   * that still grows, and the editor requests it again. asksInPauses: the editor asks for next edits in pauses.
   */
  static async start(trace: Trace, values: Values, asksAgain: boolean, asksInPauses = true): Promise<ReplayEditor> {
    const settings = {
      'model.path': text(values, 'model') ?? '',
      backend: backendOf(values) ?? defaultSettings.backend,
      gpu: text(values, 'gpu') ?? '',
      'engine.threads': count(values, 'threads') ?? 0,
      'cache.memoryMiB': count(values, 'cache') ?? 0,
      nextEdit: (text(values, 'next-edit') ?? 'off') as Eagerness,
      'completion.maxTokens': count(values, 'max-tokens') ?? defaultSettings['completion.maxTokens'],
    };
    const { HEARTH_DIST: dist = join(__dirname, '../dist') } = process.env;
    const command = [...node, join(dist, 'server.js'), '--stdio'];
    const beside = text(values, 'beside');
    const options = { bundledModel: bundledModelPath(), asksAgain, sharesCode: beside !== undefined };
    const client = await LspClient.start(command, settings, options, beside === undefined ? null : [folder]);
    const editor = new ReplayEditor(client, asksInPauses && settings.nextEdit !== 'off');
    if (beside !== undefined) await openBeside(client, beside, trace.name);
    await editor.open(trace);
    const { health, message } = await client.settled();
    if (health === 'ready') return editor;
    // A server that stayed alive would keep this process alive, too.
    client.child.kill();
    throw new Error(message);
  }

  /** Opens the trace's document, which replaces the previous one. */
  async open({ name, text: content }: Trace): Promise<void> {
    if (this.uri !== '') await this.client.close(this.uri);
    this.uri = uriOf(name);
    await this.client.open(this.uri, content, languageIdOf(name));
  }

  get status(): ServerStatus {
    return this.client.statuses.at(-1) ?? { health: 'starting' };
  }

  /**
   * The number of tokens that the engine has evaluated for the answers so far. An answer from memory evaluates none.
   * The tokens of an answer that still grows are added when it is complete.
   */
  get evaluatedTokens(): number {
    const { statuses } = this.client;
    for (; this.statusesSeen < statuses.length; this.statusesSeen++) {
      const last = statuses[this.statusesSeen]?.last;
      const isAnswer = last !== undefined && last.latencyMs !== statuses[this.statusesSeen - 1]?.last?.latencyMs;
      if (isAnswer) this.evaluated += last.promptTokens - last.cachedTokens;
    }
    return this.evaluated;
  }

  /**
   * Tells the server that the cursor rests at this place, as it does after a document is opened. Resolves when the
   * server has evaluated the prompt.
   */
  async rest({ line, character }: Position): Promise<void> {
    const { length } = this.client.statuses;
    await this.client.rest(this.uri, line, character);
    await this.client.status(() => this.client.statuses.length > length);
  }

  /** Types the edit and requests a completion after it. */
  type(edit: Edit): Pending {
    this.stopSearching();
    void this.client.type(this.uri, edit.line, edit.character, edit.insert, edit.deleted);
    if (this.wantsEdits) this.searchInPause(cursorAfter(edit));
    return this.complete(cursorAfter(edit));
  }

  nextEdit({ line, character }: Position): Promise<NextEditAnswer> {
    return this.client.nextEdit(this.uri, line, character);
  }

  /** Asks for a next edit after a pause, unless a key comes first. The next key also cancels the request. */
  private searchInPause({ line, character }: Position): void {
    const source = new CancellationTokenSource();
    const search = () => this.client.nextEdit(this.uri, line, character, source.token).catch(() => undefined);
    const timer = setTimeout(search, pauseMs);
    this.stopSearching = () => {
      clearTimeout(timer);
      source.cancel();
    };
  }

  /**
   * Changes the document, in one change, to its state after the trace's edit with this index (-1: before the first
   * edit). Returns the cursor's place.
   */
  goTo(trace: Trace, edit: number): Position {
    void this.client.change(this.uri, { text: textAfter(trace, edit) });
    const last = trace.edits[edit];
    return last ? cursorAfter(last) : { line: 0, character: 0 };
  }

  /** Asks as the editor does: again and again until the text is complete. */
  complete(position: Position): Pending {
    const source = new CancellationTokenSource();
    return { answer: this.wholeAnswer(position, source.token), cancel: () => source.cancel() };
  }

  private async wholeAnswer(position: Position, token: CancellationToken): Promise<Answer> {
    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    const ask = () => this.client.answer(this.uri, position.line, position.character, token);
    let { items, reason } = await ask();
    const firstTextMs = token.isCancellationRequested ? null : elapsed();
    while (reason === 'still-growing' && !token.isCancellationRequested) {
      await sleep(askAgainMs);
      if (!token.isCancellationRequested) ({ items, reason } = await ask());
    }
    const isCancelled = token.isCancellationRequested;
    return { ...offer(items[0], position), isCancelled, firstTextMs, fullMs: elapsed() };
  }

  /** A file of Linux's /proc about the server; '' on other systems, so that the figures become NaN. */
  private proc(file: 'status' | 'stat'): string {
    const path = `/proc/${this.client.child.pid}/${file}`;
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  /** Memory of the server in MB: now, and the maximum so far. */
  memory(): { rssMb: number; peakRssMb: number } {
    const status = this.proc('status');
    const mb = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
    return { rssMb: mb('VmRSS'), peakRssMb: mb('VmHWM') };
  }

  /** The server's CPU time. */
  cpuMs(): number {
    // After the name in parentheses: utime and stime are fields 14 and 15, in hundredths of a second.
    const stat = this.proc('stat').replace(/^.*\) /, '');
    if (stat === '') return Number.NaN;
    const fields = stat.split(' ').slice(11, 13).map(Number);
    return 10 * fields.reduce((sum, ticks) => sum + ticks, 0);
  }

  async close(): Promise<void> {
    this.stopSearching();
    await this.client.stop();
  }
}

function uriOf(name: string): string {
  return `${folder.uri}/${encodeURIComponent(name)}`;
}

/** Opens the folder's files with the same extension, and allows the server to use code from all of them. */
async function openBeside(client: LspClient, path: string, name: string): Promise<void> {
  const share = ({ documents }: RelatedParams): RelatedResult => ({ defined: [], shared: documents });
  client.connection.onRequest(relatedRequest.method, share);
  const others = readdirSync(path).filter((other) => other !== name && extname(other) === extname(name));
  for (const other of others) {
    await client.open(uriOf(other), readFileSync(join(path, other), 'utf8'), languageIdOf(other));
  }
}

/** The text that the item adds at the cursor. An item may begin with text that is already to the left of the cursor. */
function offer(
  item: InlineCompletionItem | undefined,
  { character }: Position,
): { text: string | null; replaces: number } {
  if (item === undefined) return { text: null, replaces: 0 };
  const { start, end } = item.range ?? { start: { character }, end: { character } };
  return { text: String(item.insertText).slice(character - start.character), replaces: end.character - character };
}
