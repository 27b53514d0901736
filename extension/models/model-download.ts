// Downloads a model and shows the progress in a notification. Its Cancel button pauses the download. The bytes received
// so far are kept until the user discards them.
import { l10n, ProgressLocation, window } from 'vscode';
import type { Log } from '../../language-server/protocol/log.ts';
import type { DownloadableModel } from '../../language-server/protocol/models.ts';
import { discard, download } from '../download/download.ts';
import { progressText, SpeedMeter } from '../download/progress.ts';

export interface DownloadPlace {
  /** The folder that models are downloaded to. */
  folder: string;
  /** The base URL of a mirror (see download/address.ts); '' for none. */
  mirror: string;
  log: Log;
}

/**
 * Resolves to the model's path; to undefined if the user does not continue a download that was paused or has failed.
 */
export async function downloadModel(model: DownloadableModel, place: DownloadPlace): Promise<string | undefined> {
  for (;;) {
    const result = await attempt(model, place);
    if ('path' in result) return result.path;
    place.log.info(`downloading ${model.name}: ${result.message}`);
    const retry = result.isPause ? l10n.t('Continue') : l10n.t('Try Again');
    const discardIt = l10n.t('Discard');
    const show = result.isPause ? window.showInformationMessage : window.showErrorMessage;
    const answer = await show(result.message, retry, discardIt);
    if (answer === discardIt) await discard(model.file, place.folder);
    if (answer !== retry) return undefined;
  }
}

type Result = { path: string } | { message: string; isPause: boolean };

async function attempt({ name, file }: DownloadableModel, { folder, mirror }: DownloadPlace): Promise<Result> {
  const abort = new AbortController();
  let shown = '';
  const options = {
    location: ProgressLocation.Notification,
    title: l10n.t('Downloading {0}', name),
    cancellable: true,
  };
  try {
    const path = await window.withProgress(options, (progress, token) => {
      token.onCancellationRequested(() => abort.abort());
      const meter = new SpeedMeter();
      let percent = 0;
      return download(file, folder, {
        signal: abort.signal,
        mirror,
        onWait: () => progress.report({ message: l10n.t('another window is downloading it') }),
        onProgress: (receivedBytes, totalBytes) => {
          meter.add(receivedBytes, performance.now());
          const text = progressText({ receivedBytes, totalBytes, bytesPerSecond: meter.bytesPerSecond });
          if (text === shown) return;
          shown = text;
          const now = (100 * receivedBytes) / totalBytes;
          progress.report({ message: shown, increment: Math.max(0, now - percent) });
          percent = now;
        },
      });
    });
    return { path };
  } catch (error) {
    if (abort.signal.aborted) return { message: pauseText(name, shown), isPause: true };
    return { message: error instanceof Error ? error.message : String(error), isPause: false };
  }
}

const pauseText = (name: string, shown: string): string =>
  shown === '' ? l10n.t('{0} is paused.', name) : l10n.t('{0} is paused at {1}.', name, shown);
