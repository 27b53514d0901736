// The context keys by which VS Code decides whether Tab and Esc are ours; package.json has the conditions.
import { commands } from 'vscode';

/** Tab may be taken, and Esc and the second key are. */
interface Keys {
  isOffering: boolean;
  tabIsFree: boolean;
}

const names: Record<keyof Keys, string> = { isOffering: 'hearth.isOfferingEdit', tabIsFree: 'hearth.tabIsFree' };

export class ContextKeys {
  private readonly known: Keys = { isOffering: false, tabIsFree: false };

  set(keys: Keys): void {
    for (const name of Object.keys(names) as (keyof Keys)[]) {
      if (this.known[name] === keys[name]) continue;
      this.known[name] = keys[name];
      void commands.executeCommand('setContext', names[name], keys[name]);
    }
  }
}
