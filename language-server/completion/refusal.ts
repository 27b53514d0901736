// What must not be completed, whatever the engine could say.
import type { Position } from 'vscode-languageserver/node';
import type { OpenDocument } from '../documents/open-document.ts';
import type { Mode, Reason, Settings } from '../protocol.ts';
import { hasSecret, hasSecretName } from './secrets.ts';

/** A place, and what the user has set for its document; without a mode of its own, the setting for all holds. */
export interface Addressed {
  document: OpenDocument;
  position: Position;
  mode?: Mode | undefined;
}

export function refusalOf({ document, mode }: Addressed, settings: Settings, isInvoked: boolean): Reason | null {
  const wanted = mode ?? settings.mode;
  if (wanted === 'off') return 'off';
  if (wanted === 'manual' && !isInvoked) return 'manual';
  // On its way to a team's server or to the disk cache, text that contains a secret would outlive this process.
  const staysInMemory = settings['server.url'] === '' && settings['cache.diskMiB'] === 0;
  return hasSecretName(document.uri) || (!staysInMemory && hasSecret(document.text)) ? 'secrets-file' : null;
}
