import { expect, test } from 'vitest';
import type { ClosedFile } from '../../../language-server/protocol/messages.ts';
import { ClosedFiles, closedFileLimits } from '../../../language-server/related-code/closed-files.ts';
import { cursorQuery } from '../../../language-server/related-code/cursor-query.ts';
import { RelatedCode } from '../../../language-server/related-code/related-code.ts';
import { atCursor, cursorIn } from '../cursor.ts';
import { FakeWindow, uriOf } from '../editor-window.ts';

const reach = { before: 4800, after: 1600 };

const invoices: ClosedFile = {
  uri: uriOf('src/invoices.ts'),
  text: 'export function openInvoicesOf(customer: Customer): Invoice[] {\n  return customer.invoices.filter(isOpen);\n}\n',
};
const noise = Array.from({ length: 30 }, (_, i) => ({
  uri: uriOf(`src/noise${i}.ts`),
  text: `export function noise${i}(value: number): number {\n  return value * ${i};\n}\n`,
}));

function indexed(...files: ClosedFile[]): ClosedFiles {
  const closed = new ClosedFiles();
  for (const file of files) closed.set(file);
  return closed;
}

/** The names of the files whose code is found at "$0". */
function found(closed: ClosedFiles, marked: string): string[] {
  const query = cursorQuery(atCursor(marked, 'typescript', uriOf('main.ts')));
  return closed.find(query, () => true).map(({ uri }) => uri.replace(/.*\//, ''));
}

test('finds the file that shares rare words with the lines at the cursor', () => {
  const closed = indexed(...noise, invoices);
  expect(found(closed, 'export function total(customer: Customer) {\n  return openInvoices$0\n}\n')[0]).toBe(
    'invoices.ts',
  );
});

test('a changed file is found by its new words only, and a deleted one not at all', () => {
  const closed = indexed(...noise, invoices);
  closed.set({ ...invoices, text: 'export const renamedEntirely = 1;\n' });
  expect(found(closed, 'openInvoicesOf(customer$0')).toEqual([]);
  expect(found(closed, 'renamedEntirely$0')).toEqual(['invoices.ts']);
  closed.set({ ...invoices, text: null });
  expect(found(closed, 'renamedEntirely$0')).toEqual([]);
  expect(closed.size).toBe(noise.length);
});

test('files of a removed folder are no longer found', () => {
  const closed = indexed(...noise, invoices);
  closed.set({ uri: uriOf('sr'), text: null });
  expect(closed.size).toBe(noise.length + 1);
  closed.set({ uri: uriOf('src'), text: null });
  expect(closed.size).toBe(0);
});

test('a file that changes many times is still found, and takes no more memory', () => {
  const text = 'openInvoicesOf(customer);\n\n'.repeat(60);
  const closed = indexed(...noise);
  const chunks = indexed({ ...invoices, text }).holdersOf('openinvoicesof');
  for (let i = 0; i < 500; i++) closed.set({ ...invoices, text });
  expect(closed.holdersOf('openinvoicesof')).toBe(chunks);
  expect(found(closed, 'openInvoicesOf$0')).toEqual(Array(chunks).fill('invoices.ts'));
});

test.each<[string, ClosedFile]>([
  ['whose name says that it holds secrets', { ...invoices, uri: uriOf('.env') }],
  ['that holds a secret', { ...invoices, text: `${invoices.text}const key = 'AKIAIOSFODNN7EXAMPLQ';\n` }],
  ['that is too long', { ...invoices, text: `${invoices.text}${'x\n'.repeat(closedFileLimits.charsOfFile)}` }],
])('leaves out a file %s', (_, file) => {
  expect(found(indexed(file), 'openInvoicesOf(customer$0')).toEqual([]);
});

test('the index stays within its limits of files and characters', () => {
  const closed = new ClosedFiles();
  const text = `${'const value = 1;\n'.repeat(3000)}`;
  for (let i = 0; i < 200; i++) closed.set({ uri: uriOf(`long${i}.ts`), text });
  expect(closed.size * 24 * 17).toBeLessThanOrEqual(closedFileLimits.chars * 2);
  const many = new ClosedFiles();
  for (let i = 0; i < closedFileLimits.files + 10; i++) many.set({ uri: uriOf(`a${i}.ts`), text: 'one();\n' });
  expect(many.size).toBe(closedFileLimits.files);
});

test('chunks of closed files are ranked together with those of open documents, and never repeat them', async () => {
  const { text } = cursorIn('export function total(customer: Customer) {\n  return openInvoices$0\n}\n');
  const window = new FakeWindow({ files: { 'main.ts': text, 'src/invoices.ts': invoices.text ?? '' } });
  const document = atCursor(
    'export function total(customer: Customer) {\n  return openInvoices$0\n}\n',
    'typescript',
    uriOf('main.ts'),
  );
  const closed = indexed(...noise, invoices, { ...invoices, uri: uriOf('src/elsewhere.ts') });
  const alone = new FakeWindow({ files: { 'main.ts': text } });
  const paths = async (editor: FakeWindow) =>
    (await new RelatedCode(editor, closed).gather(document, reach)).map(({ path }) => path);
  expect((await paths(alone))[0]).toMatch(/invoices|elsewhere/);
  expect((await paths(window)).filter((path) => path === 'src/invoices.ts')).toHaveLength(1);
});
