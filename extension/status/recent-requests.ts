// Explains why there is a suggestion or none: for the latest request in the language status item, for the last twenty
// in the report of "Why No Suggestion?". They also tell whether the model is too slow on this machine.
import {
  commands,
  type Disposable,
  type LanguageStatusItem,
  LanguageStatusSeverity,
  l10n,
  languages,
  window,
  workspace,
} from 'vscode';
import { reasonTexts } from '../../language-server/protocol/reasons.ts';
import type { Client } from '../connection/client.ts';
import type { AnsweredRequest } from '../ghost-text/ghost-text.ts';
import type { VirtualDocuments } from '../pages/virtual-documents.ts';
import { documentSelector } from '../settings/config.ts';
import { smallerModel } from './status-text.ts';

const kept = 20;
// Too slow: fewer tokens than this per second, so that a line takes longer than a second, and so many of the last requests
// outlived by the next key. Either alone may be a fast typist or a patient one.
const slowTokensPerSecond = 10;
const manyLate = 16;

export class RecentRequests implements Disposable {
  private readonly requests: (AnsweredRequest & { modelPath: string | undefined })[] = [];
  private saidFor: string | undefined;
  private readonly item: LanguageStatusItem = languages.createLanguageStatusItem('hearth.reason', documentSelector);

  constructor(
    private readonly client: Pick<Client, 'status'>,
    private readonly documents: VirtualDocuments,
  ) {
    this.item.name = 'Hearth';
    this.item.text = 'Hearth';
    this.item.detail = l10n.t('No suggestion has been asked for yet.');
    this.item.command = { command: 'hearth.whyNoSuggestion', title: l10n.t('Why No Suggestion?') };
  }

  /** Of a next edit. */
  addEdit(request: AnsweredRequest): void {
    if (request.reason !== 'superseded') this.keep(request);
  }

  add(request: AnsweredRequest): void {
    this.keep(request);
    void this.sayIfTooSlow();
    if (request.document !== window.activeTextEditor?.document) return;
    const isProblem = request.reason === 'no-server' || request.reason === 'no-model' || request.reason === 'failed';
    this.item.detail = l10n.t(reasonTexts[request.reason]);
    this.item.severity = isProblem ? LanguageStatusSeverity.Error : LanguageStatusSeverity.Information;
  }

  /** Whether a smaller model would suit this machine better. */
  get isTooSlow(): boolean {
    const { model, decodeTokensPerSecond = 0 } = this.client.status;
    const own = this.requests.filter(({ modelPath }) => modelPath === model?.path);
    const late = own.filter(({ reason }) => reason === 'superseded' || reason === 'cancelled');
    const isLocal = model !== undefined && model.device !== 'server';
    return isLocal && decodeTokensPerSecond < slowTokensPerSecond && late.length >= manyLate;
  }

  async show(): Promise<void> {
    const width = Math.max(0, ...this.requests.map((request) => placeOf(request).length));
    const lines = this.requests.map((request) => reportLine(request, width)).reverse();
    const slow = this.isTooSlow ? [tooSlowText(), ''] : [];
    const head = [...slow, l10n.t('The last requests for a suggestion, newest first:')];
    const text = lines.length > 0 ? [...head, '', ...lines] : [l10n.t('No suggestion has been asked for yet.')];
    await this.documents.show('Why No Suggestion.txt', `${text.join('\n')}\n`);
  }

  dispose(): void {
    this.item.dispose();
  }

  private keep(request: AnsweredRequest): void {
    this.requests.push({ ...request, modelPath: this.client.status.model?.path });
    if (this.requests.length > kept) this.requests.shift();
  }

  /** Once for each model. */
  private async sayIfTooSlow(): Promise<void> {
    const path = this.client.status.model?.path;
    if (!this.isTooSlow || path === this.saidFor) return;
    this.saidFor = path;
    const { command, title } = smallerModel();
    if (await window.showInformationMessage(`Hearth: ${tooSlowText()}`, title)) await commands.executeCommand(command);
  }
}

const tooSlowText = () =>
  l10n.t(
    'This model is too slow for this computer: most suggestions come after you have typed on. Choose a smaller model.',
  );

function placeOf({ document, position }: AnsweredRequest): string {
  return `${workspace.asRelativePath(document.uri)}:${position.line + 1}:${position.character + 1}`;
}

/** width: of the longest place, so that the reasons stand below each other. */
function reportLine(request: AnsweredRequest, width: number): string {
  const { time, reason, latencyMs, timings } = request;
  const place = placeOf(request).padEnd(width);
  const work = timings && timings.promptTokens > 0 ? `, ${workOf(timings)}` : '';
  return `${time.toLocaleTimeString()}  ${place}  ${l10n.t(reasonTexts[reason])}  (${latencyMs.toFixed(0)} ms${work})`;
}

function workOf({ promptTokens, cachedTokens, completionTokens }: NonNullable<AnsweredRequest['timings']>): string {
  return l10n.t('{0} tokens read, {1} written', promptTokens - cachedTokens, completionTokens);
}
