// The model on a team's server. The local engine only divides text into tokens. The special tokens of the server's
// model get ids after the local engine's last id.
import type {
  Completed,
  Completer,
  CompletionRequest,
  Engine,
  ModelInfo,
  OnText,
  Timings,
} from '../../native/index.ts';
import type { FimTokens } from '../models/model-traits.ts';
import { noTimings } from '../protocol/messages.ts';
import { AnswerClock } from './answer-clock.ts';
import type { Availability } from './availability.ts';
import type { CompletionsApi } from './completions-api.ts';
import { promptText } from './prompt-text.ts';
import { ServerError } from './server-error.ts';
import type { ServerModel } from './server-model.ts';

/**
 * The time limit for reading a prompt ahead. A long prompt that is not cached takes seconds, and nobody waits for it.
 */
const readingMs = 15_000;
const never = new AbortController().signal;
const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

/** A server's model that can fill in the middle. */
export interface FillingModel extends ServerModel {
  fim: FimTokens;
  /** The server's name in messages. */
  host: string;
}

const noAnswer: Completed = { finishReason: 'stop', timings: noTimings, alternatives: [] };
const noSpecial = { fimPrefix: -1, fimSuffix: -1, fimMiddle: -1, fileSep: -1, repoName: -1 };
const noChat = { imStart: -1, imEnd: -1, endOfText: -1 };

export class RemoteModel implements Completer {
  readonly info: ModelInfo;
  private readonly special: string[];

  constructor(
    private readonly model: FillingModel,
    private readonly local: Engine,
    private readonly api: CompletionsApi,
    private readonly availability: Availability,
  ) {
    const { fim, title: name, contextTokens, host } = model;
    const { vocabulary } = local.info;
    const names = namesOf(fim).filter(([, token]) => token !== '');
    this.special = names.map(([, token]) => token);
    const ids = Object.fromEntries(names.map(([role], i) => [role, vocabulary + i]));
    this.info = {
      ...local.info,
      name,
      path: host,
      contextTokens,
      device: 'server',
      backend: `server ${host}`,
      special: { ...noSpecial, ...noChat, ...ids },
      suffixFirst: fim.suffixFirst ?? false,
      bosToken: -1, // the server's tokenizer adds the token with which every prompt begins
      quantization: '',
      fileBytes: 0,
      weightBytes: 0,
      loadMs: 0,
      restoredPages: 0,
      diskProblems: [],
      fallbackReason: '',
      draftProblem: '',
    };
  }

  tokenize(text: string): Uint32Array {
    return this.local.tokenize(text);
  }

  tokenBytes(token: number): Uint8Array {
    return this.local.tokenBytes(token);
  }

  // White space before the cursor is usually a part of the next token, so the model must first generate it itself. If
  // it generates something else, a second attempt has the white space in the prompt. An unfinished word is in the
  // prompt at once: otherwise the model would have to write this word, which it has not suggested before.
  async generate(request: CompletionRequest, onText?: OnText, signal = never): Promise<Completed> {
    const start = Buffer.from(request.heal ?? []).toString('utf8');
    const { heal: _, ...unhealed } = request;
    const attempt = start.trim() === '' ? await this.attempt(unhealed, start, onText, signal) : null;
    return attempt ?? (await this.attempt(request, '', onText, signal)) ?? noAnswer;
  }

  /** Requests one token, so that the server's prefix cache has the prompt. */
  async prefill(tokens: Uint32Array, _priority?: unknown, signal = never): Promise<Timings> {
    const answer = await this.attempt({ tokens, maxTokens: 1 }, '', undefined, signal, readingMs);
    return (answer ?? noAnswer).timings;
  }

  /** start: the text with which the answer must begin. Resolves to null if it begins with another text. */
  private async attempt(
    request: CompletionRequest,
    start: string,
    onText: OnText | undefined,
    signal: AbortSignal,
    timeoutMs = this.availability.timeoutMs,
  ): Promise<Completed | null> {
    const clock = new AnswerClock(request.tokens.length);
    let finishReason: Completed['finishReason'] = 'stop';
    let missing = start; // the part of `start` that has not come yet
    try {
      for await (const piece of this.api.stream(this.bodyOf(request), timeoutMs, signal)) {
        const { text, logProbabilities } = piece;
        if (!clock.hasText && text !== '' && onText) this.availability.heard(clock.elapsedMs);
        clock.count(piece);
        if (!text.startsWith(missing) && (!missing.startsWith(text) || piece.finishReason !== null)) return null;
        finishReason = piece.finishReason ?? finishReason;
        const newText = text.slice(missing.length);
        missing = missing.slice(text.length);
        if (newText !== '' && onText?.(newText, sum(logProbabilities), 0) === true) break;
      }
      this.availability.answered();
    } catch (error) {
      if (!signal.aborted) {
        // Only the first failure counts: others may follow from it.
        if (error instanceof ServerError && this.availability.isUp) this.availability.failed(error);
        throw error;
      }
      if (!clock.hasText && onText) this.availability.abandoned(clock.elapsedMs);
      finishReason = 'cancelled';
    }
    return { finishReason, timings: clock.timings(), alternatives: [] };
  }

  private bodyOf({ tokens, heal, maxTokens, sampling, stopBefore }: CompletionRequest) {
    const vocabulary = {
      size: this.local.info.vocabulary,
      special: this.special,
      tokenBytes: (token: number) => this.local.tokenBytes(token),
    };
    return {
      prompt: promptText(vocabulary, this.model.fim, tokens, heal),
      max_tokens: maxTokens,
      temperature: sampling?.temperature ?? 0,
      ...(sampling && { top_p: sampling.topP, seed: sampling.seed }),
      ...(stopBefore && { stop: [stopBefore] }),
    };
  }
}

/** The names of the special tokens, by their roles in ModelInfo. */
function namesOf({ prefix, suffix, middle, file }: FimTokens): [role: keyof typeof noSpecial, token: string][] {
  const isQwen = prefix === '<|fim_prefix|>';
  return [
    ['fimPrefix', prefix],
    ['fimSuffix', suffix],
    ['fimMiddle', middle],
    ['fileSep', file ?? (isQwen ? '<|file_sep|>' : '')],
    ['repoName', isQwen ? '<|repo_name|>' : ''],
  ];
}
