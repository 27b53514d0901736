// A fake editor window: its open documents, its folders, and its answers about related code.

import { OpenDocument } from '../../language-server/documents/open-document.ts';
import type { DefinedIn, RelatedParams } from '../../language-server/protocol/messages.ts';
import type { EditorWindow } from '../../language-server/related-code/related-code.ts';

export interface WindowOptions {
  /** The texts of files, by name in the folder below or by URI. */
  files: Record<string, string>;
  defined?: DefinedIn[];
  /** Open documents that the editor does not share. */
  ignored?: string[];
  folders?: { uri: string; name: string }[];
  answerMs?: number;
}

export const folder = { uri: 'file:///work', name: 'work' };

export const uriOf = (name: string) => (/^\w+:/.test(name) ? name : `${folder.uri}/${name}`);

export class FakeWindow implements EditorWindow {
  readonly asked: RelatedParams[] = [];
  private readonly documents: Map<string, OpenDocument>;

  constructor(private readonly options: WindowOptions) {
    const files = Object.entries(options.files);
    this.documents = new Map(
      files.map(([name, text]) => [uriOf(name), OpenDocument.create(uriOf(name), 'typescript', 1, text)]),
    );
  }

  openDocuments() {
    return [...this.documents.values()];
  }

  folders() {
    return this.options.folders ?? [folder];
  }

  async related(params: RelatedParams) {
    this.asked.push(params);
    await new Promise((resolve) => setTimeout(resolve, this.options.answerMs ?? 0));
    const ignored = (this.options.ignored ?? []).map(uriOf);
    return { defined: this.options.defined ?? [], shared: params.documents.filter((uri) => !ignored.includes(uri)) };
  }

  document(name: string): OpenDocument {
    const document = this.documents.get(uriOf(name));
    if (!document) throw new Error(`${name} is not open`);
    return document;
  }

  edit(name: string, text: string): OpenDocument {
    const { uri, languageId, version } = this.document(name);
    const document = OpenDocument.create(uri, languageId, version + 1, text);
    this.documents.set(uri, document);
    return document;
  }
}
