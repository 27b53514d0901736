// A window with open documents, whose next edits a scripted propose() finds instead of the search and its model.
import { afterEach, beforeEach, vi } from 'vitest';
import { type DocumentChange, OpenDocument } from '../../../language-server/documents/open-document.ts';
import type { EditedDocument, Proposal } from '../../../language-server/edits/decision/propose.ts';
import { type EngineSource, NextEdits } from '../../../language-server/edits/next-edits.ts';
import type { Mode, Settings } from '../../../language-server/protocol/messages.ts';
import type { NextEdit } from '../../../language-server/protocol/next-edit-messages.ts';
import { defaultSettings } from '../../../language-server/protocol/settings.ts';
import type { Engine } from '../../../native/index.ts';

const script = vi.hoisted(() => ({
  asked: [] as EditedDocument[],
  probability: 0.9,
  wait: () => Promise.resolve(),
  /** If not empty: lines that are proposed above "end" instead. */
  inserted: '',
}));

/** Proposes to replace "sum" with "total" in the first other line that has it. */
vi.mock('../../../language-server/edits/decision/propose.ts', () => ({
  propose: async (_: Engine, document: EditedDocument): Promise<Proposal | undefined> => {
    script.asked.push(document);
    await script.wait();
    const { text, cursor, dismissed = [] } = document;
    const at = text.indexOf('end');
    if (script.inserted !== '') {
      const isDismissed = dismissed.some((each) => each.start === at && each.text === script.inserted);
      const edit = { start: at, end: at, text: script.inserted };
      return isDismissed ? undefined : { edit, probability: script.probability };
    }
    let start = 0;
    for (const line of text.split('\n')) {
      const end = start + line.length;
      const edit = { start, end, text: line.replace('sum', 'total') };
      const isDismissed = dismissed.some((each) => each.start === start && each.text === edit.text);
      const isHere = start <= cursor && cursor <= end;
      const isFree = !isDismissed && !isHere && !document.isNamesake?.(edit);
      if (edit.text !== line && isFree) return { edit, probability: script.probability };
      start = end + 1;
    }
    return undefined;
  },
}));

beforeEach(() => {
  Object.assign(script, { asked: [], probability: 0.9, wait: () => Promise.resolve(), inserted: '' });
  vi.useFakeTimers({ toFake: ['performance'] }); // changes count as simultaneous, however busy this machine is
});

const windows: NextEdits[] = [];
afterEach(() => {
  for (const each of windows.splice(0)) each.clear();
  vi.useRealTimers();
});

const source = { ready: async () => ({ local: {} as Engine }) };
export const settings: Settings = { ...defaultSettings, nextEdit: 'calm' };

export function windowWith(texts: Record<string, string>, shared = Object.keys(texts), engines: EngineSource = source) {
  const documents = Object.entries(texts).map(([uri, text]) =>
    OpenDocument.create(uri, uri.endsWith('html') ? 'html' : 'typescript', 1, text),
  );
  const window = {
    openDocuments: () => documents,
    folders: () => [{ uri: 'file:///w', name: 'w' }],
    related: async () => ({ defined: [], shared }),
  };
  let current = settings;
  const edits = new NextEdits(window, engines, () => current);
  windows.push(edits);
  const document = (uri: string) => documents.find((each) => each.uri === uri) as OpenDocument;
  const replace = (uri: string, old: string, now: string) => {
    const from = document(uri).text.toString().indexOf(old);
    const range = { start: document(uri).positionAt(from), end: document(uri).positionAt(from + old.length) };
    const { version } = document(uri);
    const made: DocumentChange[] = [];
    OpenDocument.update(document(uri), [{ range, text: now }], version + 1, (change) => made.push(change));
    edits.changed(document(uri), made);
  };
  const ask = (uri: string, character = 9, given = settings, signal = new AbortController().signal) => {
    const params = { uri, version: document(uri).version, position: { line: 0, character }, trigger: 'pause' as const };
    current = given;
    return edits.provide(params, signal);
  };
  const rest = (uri: string, mode: Mode = 'automatic') =>
    edits.rest({ uri, position: { line: 0, character: 9 }, mode });
  /** Tab: applies all changes of the edit at once. */
  const apply = ({ uri, changes, otherChanges = [] }: NextEdit) => {
    const made: DocumentChange[] = [];
    const ordered = [...changes, ...otherChanges].sort((one, other) => other.range.start.line - one.range.start.line);
    OpenDocument.update(document(uri), ordered, document(uri).version + 1, (change) => made.push(change));
    edits.changed(document(uri), made);
  };
  return { edits, document, replace, ask, rest, apply };
}

export const a = 'file:///w/a.ts';
export const b = 'file:///w/b.ts';
export const texts = { [a]: 'set(sum, 1);\nlog(1);\nlog(sum);\nend(sum);\n', [b]: 'import sum;\n' };

export { script };
