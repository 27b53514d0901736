// If another extension that suggests code is enabled, tells the user once: both show ghost text in the same place. The
// Copilot that comes with VS Code is left out: an extension cannot know whether the user has signed in to it.
import { type ExtensionContext, extensions, l10n, window } from 'vscode';

const noticedKey = 'noticedOtherProviders';
const known = new Map([
  ['github.copilot', 'GitHub Copilot'],
  ['tabnine.tabnine-vscode', 'Tabnine'],
  ['codeium.codeium', 'Windsurf'],
  ['continue.continue', 'Continue'],
  ['tabbyml.vscode-tabby', 'Tabby'],
  ['ggml-org.llama-vscode', 'llama.vscode'],
  ['rjmacarthy.twinny', 'twinny'],
  ['supermaven.supermaven', 'Supermaven'],
  ['amazonwebservices.amazon-q-vscode', 'Amazon Q'],
  ['sourcegraph.cody-ai', 'Cody'],
]);

export async function noticeOtherProviders({ globalState }: ExtensionContext): Promise<void> {
  const noticed = globalState.get<string[]>(noticedKey, []);
  const found = [...known.keys()].filter((id) => extensions.getExtension(id) && !noticed.includes(id));
  if (found.length === 0) return;
  await globalState.update(noticedKey, [...noticed, ...found]);
  const names = found.map((id) => known.get(id)).join(', ');
  const message = l10n.t(
    'Suggestions also come from {0}. VS Code shows one at a time: leave only one extension on.',
    names,
  );
  await window.showInformationMessage(`Hearth: ${message}`);
}
