// One explanation with its follow-up questions: sends the requests to the server, and holds the state of the page.
import { l10n } from 'vscode';
import type { ExplainParams, ExplainResult, ExplainTurn } from '../../language-server/protocol/messages.ts';

export interface Selection extends Pick<ExplainParams, 'uri' | 'text' | 'range' | 'languageId'> {
  /** The number of the selection's first line in the document, counted from 1. */
  firstLine: number;
}

/** Sends a request to the server. Rejects with a message for the user. */
export type Ask = (
  params: Omit<ExplainParams, 'id'>,
  onText: (text: string) => void,
  signal: AbortSignal,
) => Promise<ExplainResult>;

export type Action = 'stop' | 'retry' | 'copy' | 'continue';

export interface ConversationState {
  turns: readonly ExplainTurn[];
  /** Says that the answer is in progress, or how it ended. */
  note: string;
  /** A warning about the answer; often ''. */
  hint: string;
  /** The buttons to show; only 'stop' while an answer is generated. */
  actions: readonly Action[];
}

export class ExplainConversation {
  private turns: ExplainTurn[] = [{ answer: '' }];
  /** How many times the last turn was already tried (see ExplainParams). */
  private attempt = 0;
  private running: AbortController | undefined;
  private note = '';
  private hint = '';
  private isComplete = false;

  constructor(
    private readonly selection: Selection,
    private readonly ask: Ask,
    private readonly onChange: () => void,
  ) {}

  get state(): ConversationState {
    return { turns: this.turns, note: this.note, hint: this.hint, actions: this.actions() };
  }

  get answer(): string {
    return this.lastTurn.answer;
  }

  /** Asks for the explanation, or continues an answer that was cut off or stopped. */
  async run(): Promise<void> {
    if (this.running) return;
    const running = new AbortController();
    const isCurrent = () => this.running === running;
    const turn = this.lastTurn;
    const beginning = turn.answer;
    this.running = running;
    this.isComplete = false;
    this.say(l10n.t('Thinking…'));
    const onText = (text: string) => {
      if (!isCurrent()) return;
      turn.answer += text;
      this.onChange();
    };
    try {
      const result = await this.ask(this.params(), onText, running.signal);
      if (!isCurrent()) return;
      // The result has the whole text, so late or missing chunks do no harm.
      turn.answer = beginning + result.text;
      this.end(result);
    } catch (error) {
      if (!isCurrent()) return;
      this.running = undefined;
      this.say(l10n.t(error instanceof Error ? error.message : String(error)));
    }
  }

  /** Stops at once, without waiting for the server, which may be loading a model. */
  stop(): void {
    if (!this.running) return;
    this.running.abort();
    this.running = undefined;
    this.say(l10n.t('Stopped.'));
  }

  retry(): Promise<void> {
    if (!this.running) {
      this.attempt++;
      this.lastTurn.answer = '';
    }
    return this.run();
  }

  followUp(question: string): Promise<void> {
    if (!this.running) {
      this.attempt = 0;
      this.turns.push({ question, answer: '' });
    }
    return this.run();
  }

  /** Shows a note to the user. */
  say(note: string): void {
    this.note = note;
    this.onChange();
  }

  private get lastTurn(): ExplainTurn {
    return this.turns.at(-1) as ExplainTurn;
  }

  private params(): Omit<ExplainParams, 'id'> {
    const { firstLine: _, ...selection } = this.selection;
    // Earlier questions without an answer are left out: they would teach the model not to answer.
    const turns = this.turns.filter((turn) => turn === this.lastTurn || turn.answer !== '');
    return { ...selection, turns, attempt: this.attempt };
  }

  private end(result: ExplainResult): void {
    this.running = undefined;
    this.isComplete = result.finishReason === 'stop';
    this.hint = this.cutHint(result);
    this.say(this.answer.trim() === '' ? emptyNote(result) : resultNote(result));
  }

  /** Says where the selection was cut; '' if the model has read the whole selection. */
  private cutHint({ linesRead }: ExplainResult): string {
    if (linesRead === undefined) return '';
    const lastLine = this.selection.firstLine + linesRead - 1;
    return l10n.t('The selection is too long for this model: it was read only up to line {0}.', lastLine);
  }

  private actions(): Action[] {
    if (this.running) return ['stop'];
    if (this.answer === '') return ['retry'];
    return this.isComplete ? ['retry', 'copy'] : ['retry', 'copy', 'continue'];
  }
}

function emptyNote({ finishReason }: ExplainResult): string {
  return finishReason === 'cancelled' ? l10n.t('Stopped.') : l10n.t('The model has nothing to say about this code.');
}

function resultNote({ finishReason, timings }: ExplainResult): string {
  const seconds = ((timings.prefillMs + timings.decodeMs) / 1000).toFixed(1);
  const tokens = timings.completionTokens;
  if (finishReason === 'length') return l10n.t('{0} tokens in {1} s, cut off at the limit', tokens, seconds);
  if (finishReason === 'cancelled') return l10n.t('{0} tokens in {1} s, stopped', tokens, seconds);
  return l10n.t('{0} tokens in {1} s', tokens, seconds);
}
