// What must not be completed, whatever the engine could say.
import type { Position } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Mode, Reason, Settings } from '../protocol.ts';
import { holdsSecrets } from './secrets.ts';

/** A place, and what the user has set for its document; without a mode of its own, the setting for all holds. */
export interface Addressed {
  document: TextDocument;
  position: Position;
  mode?: Mode | undefined;
}

export function refusalOf({ document, mode }: Addressed, settings: Settings, isInvoked: boolean): Reason | null {
  const wanted = mode ?? settings.mode;
  if (wanted === 'off') return 'off';
  if (wanted === 'manual' && !isInvoked) return 'manual';
  // On its way to a team's server, text that contains a secret would leave the machine.
  const text = settings['server.url'] === '' ? '' : document.getText();
  return holdsSecrets(document.uri, text) ? 'secrets-file' : null;
}
