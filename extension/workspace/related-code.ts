// Answers the server's relatedRequest: with the definitions of the names at the cursor, and with the open documents
// that the server may use as context. Shares nothing from an untrusted workspace, and no file that git ignores or that
// the user has excluded from the explorer, the search or Hearth.
import { commands, type Location, type LocationLink, Position, Range, Uri, workspace } from 'vscode';
import type { DefinedIn, RelatedParams, RelatedResult } from '../../language-server/protocol/messages.ts';
import { onExclusionsChange } from '../settings/exclusions.ts';
import { maxFileBytes, shareable, textOnDisk } from './shareable.ts';

// Few files, because the server does not wait long.
const maxFiles = 6;
// The maximum length of a definition. If a provider gives only the position of the name, this length is assumed.
const maxLines = 30;

/** Remembers which files may be shared until a setting, a .gitignore or the workspace's folders change. */
export class RelatedCode {
  private readonly shareable = new Map<string, Promise<boolean>>();
  private readonly subscriptions = [
    ...onExclusionsChange(() => this.shareable.clear()),
    workspace.onDidChangeWorkspaceFolders(() => this.shareable.clear()),
  ];

  async answer({ uri, positions, documents }: RelatedParams): Promise<RelatedResult> {
    if (!workspace.isTrusted) return { defined: [], shared: [] };
    const [defined, shared] = await Promise.all([this.definitions(uri, positions), this.shareableOf(documents)]);
    return { defined, shared };
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private async definitions(uri: string, positions: RelatedParams['positions']): Promise<DefinedIn[]> {
    const found = await Promise.all(positions.map((position) => definitionsAt(Uri.parse(uri), position)));
    const byFile = new Map<string, DefinedIn['lines']>();
    for (const { target, lines } of found.flat()) {
      if (target !== uri) byFile.set(target, [...(byFile.get(target) ?? []), lines]);
    }
    const files = (await this.shareableOf([...byFile.keys()])).slice(0, maxFiles);
    const texts = await Promise.all(files.map(async (file) => ({ uri: file, text: await textOf(Uri.parse(file)) })));
    return texts.flatMap((file) =>
      file.text === null ? [] : { uri: file.uri, text: file.text, lines: byFile.get(file.uri) ?? [] },
    );
  }

  private async shareableOf(uris: string[]): Promise<string[]> {
    const flags = await Promise.all(uris.map((uri) => this.mayShare(uri)));
    return uris.filter((_, i) => flags[i]);
  }

  private mayShare(uri: string): Promise<boolean> {
    const known = this.shareable.get(uri);
    if (known !== undefined) return known;
    const answer = isShareable(Uri.parse(uri)).catch(() => false);
    this.shareable.set(uri, answer);
    return answer;
  }
}

interface Definition {
  target: string;
  lines: { start: number; end: number };
}

async function definitionsAt(
  uri: Uri,
  { line, character }: { line: number; character: number },
): Promise<Definition[]> {
  const ask = commands.executeCommand<(Location | LocationLink)[] | undefined>(
    'vscode.executeDefinitionProvider',
    uri,
    new Position(line, character),
  );
  // If a language extension fails, the definitions from others still count.
  const found = await Promise.resolve(ask).catch(() => undefined);
  return (found ?? []).map((place) => {
    const [target, { start, end }] =
      'targetUri' in place
        ? [place.targetUri, place.targetRange]
        : [place.uri, new Range(place.range.start, place.range.end.translate(maxLines))];
    return { target: target.toString(), lines: { start: start.line, end: Math.min(end.line, start.line + maxLines) } };
  });
}

/**
 * The text in the editor, which may be unsaved. If the file is not open: the text on disk. Null if the text is too long
 * or cannot be read.
 */
async function textOf(uri: Uri): Promise<string | null> {
  const open = workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open) return open.getText().length <= maxFileBytes ? open.getText() : null;
  return textOnDisk(uri);
}

async function isShareable(uri: Uri): Promise<boolean> {
  if (uri.scheme === 'untitled') return true;
  const file = uri.scheme === 'vscode-notebook-cell' ? uri.with({ scheme: 'file', fragment: '' }) : uri;
  return (await shareable([file])).length > 0;
}
