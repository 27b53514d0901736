// The read-only documents "hearth:/NAME", such as the reports of commands. Their text can change while they are shown.
import { EventEmitter, type TextDocumentContentProvider, Uri, window, workspace } from 'vscode';

const scheme = 'hearth';

export class VirtualDocuments implements TextDocumentContentProvider {
  /**
   * The texts by URI. They are never deleted: there are few, and a preview may request a text long after its document
   * was closed.
   */
  private readonly texts = new Map<string, string>();
  private readonly changes = new EventEmitter<Uri>();
  readonly onDidChange = this.changes.event;
  private readonly registration = workspace.registerTextDocumentContentProvider(scheme, this);

  async show(name: string, text: string): Promise<void> {
    const uri = Uri.from({ scheme, path: `/${name}` });
    this.texts.set(uri.toString(), text);
    this.changes.fire(uri);
    await window.showTextDocument(uri, { preview: true });
  }

  provideTextDocumentContent(uri: Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    this.registration.dispose();
    this.changes.dispose();
  }
}
