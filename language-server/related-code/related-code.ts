// Finds code that may help at the cursor, in other files or in a distant part of the same file: definitions that the
// editor knows, and chunks that share identifiers with the lines at the cursor or were recently edited or visited. All
// text comes from the editor, and only from files that it shares (in a trusted workspace and not ignored). Files that
// hold secrets are left out.
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

// If more documents are open, the most recently visited ones are used.
const maxDocuments = 12;
// The lines of a longer chunk are so long that nobody wrote them by hand.
const maxChunkChars = 3000;

/** For one window: code must not get from one workspace into another. */
export class RelatedCode {
  private chunked = new Map<string, ChunkedDocument>();
  private readonly lastRestedAtMs = new Map<string, number>();
  /** The paths of open documents that the last gather() must not use. */
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
    this.lastRestedAtMs.set(own.uri, this.now());
    const others = this.mostRecent(open.filter(({ uri }) => uri !== own.uri && !hasSecretName(uri)));
    const positions = namesToDefine(document).map((offset) => own.positionAt(offset));
    const question = { uri: own.uri, positions, documents: others.map(({ uri }) => uri) };
    const answer = await this.answers.ask(question, own.positionAt(document.offset).line);

    const definitionFiles = answer.defined.filter(
      ({ uri }) => this.isInWorkspace(uri) && !open.some((file) => file.uri === uri),
    );
    const sources = [
      ...others.filter(({ uri }) => answer.shared.includes(uri)),
      ...definitionFiles.map(({ uri, text }) => OpenDocument.create(uri, '', 0, text)),
    ];
    await this.update([own, ...sources], definitionFiles);
    const isRefused = ({ uri }: OpenDocument) => answer.refused.includes(uri) || this.chunked.get(uri)?.hasSecret;
    this.refused = new Set(others.filter(isRefused).map(({ uri, languageId }) => this.placeOf(uri, languageId).path));
    const from = Math.max(0, document.offset - reach.before);
    const to = document.offset + reach.after;
    const promptText = document.text.slice(from, to);
    const isOutsidePrompt = ({ offset, chunk }: PlacedChunk) => offset >= to || offset + chunk.text.length <= from;
    const query = cursorQuery(document);
    const isOtherClosedFile = (uri: string) =>
      this.isInWorkspace(uri) && ![...open, ...definitionFiles].some((file) => file.uri === uri);
    const candidates = [
      ...this.candidates(own, answer.defined, isOutsidePrompt),
      ...sources.flatMap((source) =>
        this.candidates(source, answer.defined, ({ chunk }) => !promptText.includes(chunk.text)),
      ),
      ...this.candidatesFromClosedFiles(query, isOtherClosedFile, promptText),
    ];
    this.chunked.get(own.uri)?.visit(document.offset, this.now());
    const placeQuery = { ...query, path: this.placeOf(own.uri, own.languageId).path };
    const corpus = this.closedFiles ?? undefined;
    return rank(candidates, placeQuery, this.now(), corpus).map(({ path, line, chunk }) => ({
      path,
      line,
      text: chunk.text,
    }));
  };

  /**
   * Call when a document is closed. If it is opened again, its text may differ, and its edits and visits start over.
   */
  forget(uri: string): void {
    this.lastRestedAtMs.delete(uri);
    this.chunked.delete(uri);
  }

  /** Call when the set of shareable files has changed. The editor is then asked again. */
  askAnew(): void {
    this.answers.forget();
  }

  /**
   * Divides these documents into chunks and forgets all others. Yields after each document, so that no key waits for
   * all of them. closedDefinitions: the closed files, which are divided again each time.
   */
  private async update(documents: OpenDocument[], closedDefinitions: readonly DefinedIn[]): Promise<void> {
    const before = this.chunked;
    const chunkedNow = new Map<string, ChunkedDocument>();
    for (const document of documents) {
      const isClosed = closedDefinitions.some(({ uri }) => uri === document.uri);
      const chunked = (isClosed ? undefined : before.get(document.uri)) ?? new ChunkedDocument();
      if (chunked.update(document, this.now())) await setImmediate();
      chunkedNow.set(document.uri, chunked);
    }
    this.chunked = chunkedNow;
  }

  private candidates(
    { uri, languageId }: OpenDocument,
    definingFiles: readonly DefinedIn[],
    isWanted: (placed: PlacedChunk) => boolean,
  ): Candidate[] {
    const chunked = this.chunked.get(uri);
    if (!chunked || chunked.hasSecret) return [];
    const { path } = this.placeOf(uri, languageId);
    const lines = definingFiles.find((file) => file.uri === uri)?.lines ?? [];
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

  private candidatesFromClosedFiles(
    query: CursorQuery,
    isWanted: (uri: string) => boolean,
    promptText: string,
  ): Candidate[] {
    const found = this.closedFiles?.find(query, isWanted) ?? [];
    const isUsable = ({ chunk }: FoundChunk) => chunk.text.length <= maxChunkChars && !promptText.includes(chunk.text);
    return found.filter(isUsable).map(({ uri, line, chunk }) => {
      return { path: this.placeOf(uri, '').path, line, chunk, isDefinition: false, isFromCorpus: true };
    });
  }

  private mostRecent(documents: OpenDocument[]): OpenDocument[] {
    const restedAtMs = ({ uri }: OpenDocument) => this.lastRestedAtMs.get(uri) ?? 0;
    return documents.toSorted((a, b) => restedAtMs(b) - restedAtMs(a)).slice(0, maxDocuments);
  }

  /** Whether the document belongs to this window's workspace. An untitled document does: this window has it open. */
  private isInWorkspace(uri: string): boolean {
    return uri.startsWith('untitled:') || folderOf(uri, this.editor.folders()) !== undefined;
  }
}
