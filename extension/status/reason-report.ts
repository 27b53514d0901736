// The text of "Why No Suggestion?". It lists the requests without a suggestion, and says what to do about the last one.
// Requests that got a suggestion, or that the next key ended, are only counted.
import { l10n, workspace } from 'vscode';
import { type Reason, reasonTexts } from '../../language-server/protocol/reasons.ts';
import type { AnsweredRequest } from '../ghost-text/ghost-text.ts';

/** The outcomes of a window's requests. The lists have the latest requests, oldest first. */
export interface Outcomes {
  /** The requests that got no suggestion. */
  silent: AnsweredRequest[];
  /** The requests for next edits. */
  edits: AnsweredRequest[];
  /** The number of requests that got a suggestion. */
  shown: number;
  /** The number of requests that the next key or a move of the cursor made useless. */
  superseded: number;
}

/** Whether a request with this outcome got a suggestion, perhaps an unfinished one. */
export const isShown = (reason: Reason): boolean => ['shown', 'typed-along', 'still-growing'].includes(reason);
/** Whether a request with this outcome was ended by the next key or by a move of the cursor. */
export const isSuperseded = (reason: Reason): boolean => reason === 'superseded' || reason === 'cancelled';

export function reasonReport({ silent, edits, shown, superseded }: Outcomes): string {
  const last = silent.at(-1);
  const counts = [
    ...(shown > 0 ? [l10n.t('Requests that got a suggestion: {0}.', shown)] : []),
    ...(superseded > 0 ? [l10n.t('Requests that ended because you typed or moved on: {0}.', superseded)] : []),
  ];
  if (last === undefined && counts.length + edits.length === 0) return l10n.t('No suggestion has been asked for yet.');
  const parts = [
    last
      ? [l10n.t('The last time: {0}', reasonText(last.reason))]
      : [l10n.t('No request was left without a suggestion.')],
    ...(silent.length > 0 ? [[l10n.t('Requests without a suggestion, newest first:'), '', ...listed(silent)]] : []),
    ...(counts.length > 0 ? [counts] : []),
    ...(edits.length > 0 ? [[l10n.t('Next edits, newest first:'), '', ...listed(edits)]] : []),
  ];
  return parts.map((lines) => lines.join('\n')).join('\n\n');
}

/** Says why there was a suggestion or none, and what to do. */
export function reasonText(reason: Reason): string {
  return [l10n.t(reasonTexts[reason]), adviceFor(reason)].filter(Boolean).join(' ');
}

function adviceFor(reason: Reason): string {
  switch (reason) {
    case 'unsure':
      return l10n.t('Alt+\\ asks anyway. To see more, set "hearth.completion.confidence" to "eager".');
    case 'off':
    case 'snoozed':
      return l10n.t('The menu of the status bar turns them on again.');
    case 'manual':
      return l10n.t('Alt+\\ asks for one.');
    case 'no-model':
    case 'failed':
    case 'no-server':
      return l10n.t('The menu of the status bar has what helps: another model, a restart, the log.');
    case 'excluded':
    case 'secrets-file':
    case 'message':
    case 'still-loading':
    case 'model-cannot-fill-in':
      return '';
    default: // a rule has held the text back, or no text was likely enough
      return isShown(reason) || isSuperseded(reason) ? '' : l10n.t('Alt+\\ asks anyway.');
  }
}

/** One line per request, in columns, newest first. */
function listed(requests: AnsweredRequest[]): string[] {
  const width = Math.max(...requests.map((request) => placeOf(request).length));
  return requests.map((request) => reportLine(request, width)).reverse();
}

function placeOf({ document, position }: AnsweredRequest): string {
  return `${workspace.asRelativePath(document.uri)}:${position.line + 1}:${position.character + 1}`;
}

function reportLine(request: AnsweredRequest, width: number): string {
  const { time, reason, latencyMs, timings } = request;
  const place = placeOf(request).padEnd(width);
  const tokens = timings && timings.promptTokens > 0 ? `, ${tokenCounts(timings)}` : '';
  return `${time.toLocaleTimeString()}  ${place}  ${l10n.t(reasonTexts[reason])}  (${latencyMs.toFixed(0)} ms${tokens})`;
}

function tokenCounts({
  promptTokens,
  cachedTokens,
  completionTokens,
}: NonNullable<AnsweredRequest['timings']>): string {
  return l10n.t('{0} tokens read, {1} written', promptTokens - cachedTokens, completionTokens);
}
