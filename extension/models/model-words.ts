// The sentences about a model: its use and speed on this machine, and the question before its download.
import { l10n } from 'vscode';
import type { DownloadableModel, Estimate, ModelFacts } from '../../language-server/protocol/models.ts';

// A model for use while typing: people press a key every 120 to 200 ms.
const tokensPerSecondWhileTyping = 25;
// A model for use in pauses: people pause for a second at the end of a thought.
const tokensPerSecondInPauses = 10;
/** A line of code has ten tokens. The first text that appears has two of them. */
const tokensAfterFirstText = 10 - 2;
const tokensPer100Words = 130;

/** "Comes while you type: a line in ~0.3 s. 1.2 GB of memory": short enough for a row of the list. */
export function abilityText(model: ModelFacts): string {
  const { completes, explains, writesEdits, kind, estimate } = model;
  const memory = l10n.t('{0} of memory', gigabytes(estimate.memoryBytes));
  const isForTyping = completes && (kind === 'base' || writesEdits);
  const speed = isForTyping ? lineText(estimate) : explains ? explanationText(estimate) : '';
  return [speed, memory, restText(model)].filter(Boolean).join('. ');
}

/** Says what a model does besides completing, or what it cannot do. */
function restText({ completes, explains, writesEdits, kind }: ModelFacts): string {
  if (!completes)
    return explains
      ? l10n.t('Only explains: it was not trained to fill in the middle')
      : l10n.t('Can neither complete nor explain');
  if (writesEdits) return l10n.t('Writes edits');
  return kind === 'base' ? '' : l10n.t('Explains; a base model completes better');
}

function lineText({ tokensPerSecond, firstTextMs }: Estimate): string {
  if (tokensPerSecond === null || firstTextMs === null) return '';
  const seconds = twoDigits(firstTextMs / 1000 + tokensAfterFirstText / tokensPerSecond);
  if (tokensPerSecond >= tokensPerSecondWhileTyping) return l10n.t('Comes while you type: a line in ~{0} s', seconds);
  if (tokensPerSecond >= tokensPerSecondInPauses) return l10n.t('Comes when you pause: a line in ~{0} s', seconds);
  return l10n.t('Too slow while you type: a line in ~{0} s', seconds);
}

function explanationText({ tokensPerSecond }: Estimate): string {
  if (tokensPerSecond === null) return '';
  const seconds = twoDigits(tokensPer100Words / tokensPerSecond);
  return l10n.t('100 words of explanation in ~{0} s ({1} tok/s)', seconds, twoDigits(tokensPerSecond));
}

/** The question before a download. Nothing is sent until the user has agreed. host: the host to contact. */
export function downloadQuestion(model: DownloadableModel, host: string) {
  const { name, quantization, fileBytes, licence, isForResearchOnly, file } = model;
  const terms = isForResearchOnly
    ? l10n.t('Its license ({0}) forbids commercial use.', licence)
    : l10n.t('License: {0}.', licence);
  const check =
    file.sha256 === null
      ? l10n.t('Hearth knows no SHA-256 digest of this file. Only its approximate length is checked.')
      : l10n.t('The file is verified by its SHA-256 digest.');
  const message = l10n.t('Download {0} {1} ({2}) from {3}?', name, quantization, gigabytes(fileBytes), host);
  return { message, detail: `${terms} ${check}` };
}

export const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;

/** The estimates are no more precise than two digits. */
const twoDigits = (value: number) => (value < 10 ? value.toFixed(1) : String(Number(value.toPrecision(2))));
