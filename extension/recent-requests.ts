// Explains why there is a suggestion or none: for the latest request in the language status item, for the last twenty
// in the report of "Why No Suggestion?".
import {
  type Disposable,
  type LanguageStatusItem,
  LanguageStatusSeverity,
  l10n,
  languages,
  window,
  workspace,
} from 'vscode';
import { reasonTexts } from '../language-server/protocol/reasons.ts';
import { documentSelector } from './config.ts';
import type { CompletionRequest } from './ghost-text.ts';
import type { VirtualDocuments } from './virtual-documents.ts';

const kept = 20;

export class RecentRequests implements Disposable {
  private readonly requests: CompletionRequest[] = [];
  private readonly item: LanguageStatusItem = languages.createLanguageStatusItem('hearth.reason', documentSelector);

  constructor(private readonly documents: VirtualDocuments) {
    this.item.name = 'Hearth';
    this.item.text = 'Hearth';
    this.item.detail = l10n.t('No suggestion has been asked for yet.');
    this.item.command = { command: 'hearth.whyNoSuggestion', title: l10n.t('Why No Suggestion?') };
  }

  add(request: CompletionRequest): void {
    this.requests.push(request);
    if (this.requests.length > kept) this.requests.shift();
    if (request.document !== window.activeTextEditor?.document) return;
    const isProblem = request.reason === 'no-server' || request.reason === 'no-model' || request.reason === 'failed';
    this.item.detail = l10n.t(reasonTexts[request.reason]);
    this.item.severity = isProblem ? LanguageStatusSeverity.Error : LanguageStatusSeverity.Information;
  }

  async show(): Promise<void> {
    const lines = this.requests.map(reportLine).reverse();
    const head = l10n.t('The last requests for a suggestion, newest first:');
    const text = lines.length > 0 ? [head, '', ...lines] : [l10n.t('No suggestion has been asked for yet.')];
    await window.showTextDocument(this.documents.set('Why No Suggestion.txt', `${text.join('\n')}\n`), {
      preview: true,
    });
  }

  dispose(): void {
    this.item.dispose();
  }
}

function reportLine({ document, position, time, reason, latencyMs, timings }: CompletionRequest): string {
  const place = `${workspace.asRelativePath(document.uri)}:${position.line + 1}:${position.character + 1}`;
  const work = timings && timings.promptTokens > 0 ? `, ${workOf(timings)}` : '';
  return `${time.toLocaleTimeString()}  ${place}  ${l10n.t(reasonTexts[reason])}  (${latencyMs.toFixed(0)} ms${work})`;
}

function workOf({ promptTokens, cachedTokens, completionTokens }: NonNullable<CompletionRequest['timings']>): string {
  return l10n.t('{0} tokens read, {1} written', promptTokens - cachedTokens, completionTokens);
}
