// Explains why there is a suggestion or none: the language status item explains the latest request, and the report of
// "Why No Suggestion?" several recent ones. Also decides, from these requests, whether the model is too slow for this
// machine.
import {
  commands,
  type Disposable,
  type LanguageStatusItem,
  LanguageStatusSeverity,
  l10n,
  languages,
  window,
} from 'vscode';
import type { Client } from '../connection/client.ts';
import type { AnsweredRequest } from '../ghost-text/ghost-text.ts';
import type { VirtualDocuments } from '../pages/virtual-documents.ts';
import { documentSelector } from '../settings/config.ts';
import { isShown, isSuperseded, type Outcomes, reasonReport, reasonText } from './reason-report.ts';
import { smallerModel } from './status-text.ts';

const keptRequests = 20;
const keptEdits = 5;
// A model is too slow if it breaks both limits: it takes longer than a second for a line, and the next key ended most
// of the recent requests. Slow writing alone does not bother a patient user, and fast typing alone ends requests, too.
const minTokensPerSecond = 10;
/** If the next key ended this many of the last keptRequests, most suggestions come too late. */
const tooManyLate = 16;

export class RecentRequests implements Disposable {
  private readonly requests: (AnsweredRequest & { modelPath: string | undefined })[] = [];
  private readonly outcomes: Outcomes = { silent: [], edits: [], shown: 0, superseded: 0 };
  /** The path of the model about which sayIfTooSlow() has already shown its message. */
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

  /** Adds a request for a next edit. */
  addEdit(request: AnsweredRequest): void {
    if (!isSuperseded(request.reason)) append(this.outcomes.edits, request, keptEdits);
  }

  add(request: AnsweredRequest): void {
    append(this.requests, { ...request, modelPath: this.client.status.model?.path }, keptRequests);
    const { outcomes } = this;
    if (isShown(request.reason)) outcomes.shown++;
    else if (isSuperseded(request.reason)) outcomes.superseded++;
    else append(outcomes.silent, request, keptRequests);
    void this.sayIfTooSlow();
    if (request.document !== window.activeTextEditor?.document) return;
    const isProblem = request.reason === 'no-server' || request.reason === 'no-model' || request.reason === 'failed';
    this.item.detail = reasonText(request.reason);
    this.item.severity = isProblem ? LanguageStatusSeverity.Error : LanguageStatusSeverity.Information;
  }

  /** Whether a smaller model would suit this machine better. */
  get isTooSlow(): boolean {
    const { model, decodeTokensPerSecond = 0 } = this.client.status;
    const withThisModel = this.requests.filter(({ modelPath }) => modelPath === model?.path);
    const late = withThisModel.filter(({ reason }) => isSuperseded(reason));
    const isLocal = model !== undefined && model.device !== 'server';
    return isLocal && decodeTokensPerSecond < minTokensPerSecond && late.length >= tooManyLate;
  }

  async show(): Promise<void> {
    const slow = this.isTooSlow ? `${tooSlowText()}\n\n` : '';
    await this.documents.show('Why No Suggestion.txt', `${slow}${reasonReport(this.outcomes)}\n`);
  }

  dispose(): void {
    this.item.dispose();
  }

  /** Tells the user once per model if the model is too slow. */
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

function append<T>(list: T[], item: T, maxLength: number): void {
  list.push(item);
  if (list.length > maxLength) list.shift();
}
