// Finds code of other files that may help at the cursor: definitions that the editor's language features find, and
// chunks of open documents and closed files that share identifiers or were recently edited or visited. All text comes from
// the editor, and only of files that it shares (in a trusted workspace and not ignored). Files that hold secrets are left out.
import { setImmediate } from 'node:timers/promises';
import { OpenDocument } from '../documents/open-document.ts';
import { folderOf, type PromptPlace, promptPlace, type WorkspaceFolder } from '../prompt/document-path.ts';
import type { PromptReach, Snippet } from '../prompt/prompt-preamble.ts';
import type { CursorDocument } from '../prompt/text-window.ts';
import type { DefinedIn, RelatedParams, RelatedResult } from '../protocol/messages.ts';
import { hasSecretName } from '../protocol/secret-names.ts';
import { ChunkedDocument, type PlacedChunk } from './chunks.ts';
import type { ClosedFiles, FoundChunk } from './closed-files.ts';
import { type CursorQuery, cursorQuery, namesToDefine } from './cursor-query.ts';
import { EditorAnswers } from './editor-answers.ts';
import { type Candidate, rank } from './ranking.ts';

export interface EditorWindow {
  openDocuments(): OpenDocument[];
  folders(): readonly WorkspaceFolder[];
  related(params: RelatedParams): Promise<RelatedResult>;
}

// Of more documents, those in which the cursor rested last are used.
const maxDocuments = 12;
// Longer chunks have lines so long that nobody wrote them by hand.
const maxChunkChars = 3000;

/** For one window, since code must not get from one workspace into another. */
export class RelatedCode {
  private chunked = new Map<string, ChunkedDocument>();
  private readonly restedMs = new Map<string, number>();
  /** The paths of open documents from which the last gather() might take nothing. */
  private refused: ReadonlySet<string> = new Set();
  private readonly answers: EditorAnswers;

  constructor(
    private readonly editor: EditorWindow,
    private readonly closedFiles: ClosedFiles | null = null,
    private readonly now: () => number = Date.now,
  ) {
    this.answers = new EditorAnswers((params) => editor.related(params));
  }

  readonly placeOf = (uri: string, languageId: string): PromptPlace =>
    promptPlace(uri, languageId, this.editor.folders());

  readonly isRefused = (path: string): boolean => this.refused.has(path);

  /** Code for the place where the cursor rests, most useful first. */
  readonly gather = async (document: CursorDocument, reach: PromptReach): Promise<Snippet[]> => {
    const open = this.editor.openDocuments().filter(({ uri }) => this.isInWorkspace(uri));
    const own = open.find(({ uri }) => uri === document.uri);
    if (!own) return [];
    this.restedMs.set(own.uri, this.now());
    const others = this.lastUsed(open.filter(({ uri }) => uri !== own.uri && !hasSecretName(uri)));
    const positions = namesToDefine(document).map((offset) => own.positionAt(offset));
    const question = { uri: own.uri, positions, documents: others.map(({ uri }) => uri) };
    const answer = await this.answers.ask(question, own.positionAt(document.offset).line);

    const closed = answer.defined.filter(({ uri }) => this.isInWorkspace(uri) && !open.some((one) => one.uri === uri));
    const sources = [
      ...others.filter(({ uri }) => answer.shared.includes(uri)),
      ...closed.map(({ uri, text }) => OpenDocument.create(uri, '', 0, text)),
    ];
    await this.update([own, ...sources], closed);
    const isRefused = ({ uri }: OpenDocument) => answer.refused.includes(uri) || this.chunked.get(uri)?.hasSecret;
    this.refused = new Set(others.filter(isRefused).map(({ uri, languageId }) => this.placeOf(uri, languageId).path));
    const from = Math.max(0, document.offset - reach.before);
    const to = document.offset + reach.after;
    const inPrompt = document.text.slice(from, to);
    const isOwnOutside = ({ offset, chunk }: PlacedChunk) => offset >= to || offset + chunk.text.length <= from;
    const found = cursorQuery(document);
    const isClosed = (uri: string) => this.isInWorkspace(uri) && ![...open, ...closed].some((one) => one.uri === uri);
    const candidates = [
      ...this.candidates(own, answer.defined, isOwnOutside),
      ...sources.flatMap((source) =>
        this.candidates(source, answer.defined, ({ chunk }) => !inPrompt.includes(chunk.text)),
      ),
      ...this.ofClosedFiles(found, isClosed, inPrompt),
    ];
    this.chunked.get(own.uri)?.visit(document.offset, this.now());
    const query = { ...found, path: this.placeOf(own.uri, own.languageId).path };
    const corpus = this.closedFiles ?? undefined;
    return rank(candidates, query, this.now(), corpus).map(({ path, line, chunk }) => ({
      path,
      line,
      text: chunk.text,
    }));
  };

  /** Call when a document is closed: when it is opened again, it may have another text, and was not edited or visited yet. */
  forget(uri: string): void {
    this.restedMs.delete(uri);
    this.chunked.delete(uri);
  }

  /** Call when other files may be shared than before. */
  askAnew(): void {
    this.answers.forget();
  }

  /** Forgets documents that are no longer used. Yields after each document, so that a key need not wait for all. */
  private async update(documents: OpenDocument[], unversioned: readonly DefinedIn[]): Promise<void> {
    const before = this.chunked;
    const chunkedNow = new Map<string, ChunkedDocument>();
    for (const document of documents) {
      const isUnversioned = unversioned.some(({ uri }) => uri === document.uri);
      const chunked = (isUnversioned ? undefined : before.get(document.uri)) ?? new ChunkedDocument();
      if (chunked.update(document, this.now())) await setImmediate();
      chunkedNow.set(document.uri, chunked);
    }
    this.chunked = chunkedNow;
  }

  private candidates(
    { uri, languageId }: OpenDocument,
    defined: readonly DefinedIn[],
    isWanted: (placed: PlacedChunk) => boolean,
  ): Candidate[] {
    const chunked = this.chunked.get(uri);
    if (!chunked || chunked.hasSecret) return [];
    const { path } = this.placeOf(uri, languageId);
    const lines = defined.find((file) => file.uri === uri)?.lines ?? [];
    const isDefinition = ({ line, lineCount }: PlacedChunk) =>
      lines.some(({ start, end }) => line <= end && start < line + lineCount);
    const isUsable = (placed: PlacedChunk) => placed.chunk.text.length <= maxChunkChars && isWanted(placed);
    return chunked.chunks.filter(isUsable).map((placed) => ({
      path,
      line: placed.line,
      chunk: placed.chunk,
      isDefinition: isDefinition(placed),
    }));
  }

  private ofClosedFiles(query: CursorQuery, isClosed: (uri: string) => boolean, inPrompt: string): Candidate[] {
    const found = this.closedFiles?.find(query, isClosed) ?? [];
    const isUsable = ({ chunk }: FoundChunk) => chunk.text.length <= maxChunkChars && !inPrompt.includes(chunk.text);
    return found.filter(isUsable).map(({ uri, line, chunk }) => {
      return { path: this.placeOf(uri, '').path, line, chunk, isDefinition: false, isOfCorpus: true };
    });
  }

  private lastUsed(documents: OpenDocument[]): OpenDocument[] {
    const restedMs = ({ uri }: OpenDocument) => this.restedMs.get(uri) ?? 0;
    return documents.toSorted((a, b) => restedMs(b) - restedMs(a)).slice(0, maxDocuments);
  }

  /** Untitled documents belong to the window that has them open. */
  private isInWorkspace(uri: string): boolean {
    return uri.startsWith('untitled:') || folderOf(uri, this.editor.folders()) !== undefined;
  }
}
