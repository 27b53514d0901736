// Which errors are a reason to ask for a next edit.
import { expect, test, vi } from 'vitest';
import type { Client } from '../../../extension/connection/client.ts';
import { Questions } from '../../../extension/next-edit/questions.ts';
import type { DocumentModes } from '../../../extension/settings/document-mode.ts';

const editor = vi.hoisted(() => ({
  active: undefined as { document: { uri: string } } | undefined,
  errors: new Map<string, number>(),
}));

vi.mock('vscode', () => ({
  DiagnosticSeverity: { Error: 0, Warning: 1 },
  languages: {
    getDiagnostics: (uri: string) => [
      { severity: 1 },
      ...Array.from({ length: editor.errors.get(uri) ?? 0 }, () => ({ severity: 0 })),
    ],
  },
  window: {
    get activeTextEditor() {
      return editor.active;
    },
  },
}));

const [a, b] = ['file:///a.ts', 'file:///b.ts'].map((uri) => ({ document: { uri } }));

/** The diagnostics of the active document. */
function ask(questions: Questions, active: typeof a, errors: number): boolean {
  editor.active = active;
  editor.errors.set(active?.document.uri ?? '', errors);
  return questions.hasMoreErrors();
}

test('errors are compared with earlier ones of the same document', () => {
  const questions = new Questions({} as Client, {} as DocumentModes, () => undefined);
  expect(ask(questions, a, 0)).toBe(false);
  expect(ask(questions, b, 3)).toBe(false);
  expect(ask(questions, b, 4)).toBe(true);
  expect(ask(questions, a, 1)).toBe(true);
  expect(ask(questions, a, 1)).toBe(false);
  expect(ask(questions, a, 0)).toBe(false);
  expect(ask(questions, undefined, 0)).toBe(false);
});
