// The context keys by which VS Code decides whether Tab and Esc are ours; package.json has the conditions.
import { commands } from 'vscode';

interface Keys {
  /** Esc and the second key are ours. */
  isOffering: boolean;
  /** Tab is, too. */
  tabIsFree: boolean;
  /** The suggestion at the cursor is the edit. */
  isGhostText: boolean;
}

const names: Record<keyof Keys, string> = {
  isOffering: 'hearth.isOfferingEdit',
  tabIsFree: 'hearth.tabIsFree',
  isGhostText: 'hearth.editIsGhostText',
};

export class ContextKeys {
  private readonly known: Keys = { isOffering: false, tabIsFree: false, isGhostText: false };

  set(keys: Keys): void {
    for (const name of Object.keys(names) as (keyof Keys)[]) {
      if (this.known[name] === keys[name]) continue;
      this.known[name] = keys[name];
      void commands.executeCommand('setContext', names[name], keys[name]);
    }
  }
}
