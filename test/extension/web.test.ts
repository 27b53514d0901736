// In a browser, the status bar and each command have a sentence instead of Hearth.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { ExtensionContext } from 'vscode';

const item = { name: '', text: '', tooltip: '', command: '', show: vi.fn(), dispose: vi.fn() };
const said: string[] = [];
const handlers = new Map<string, () => unknown>();
vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  StatusBarAlignment: { Right: 2 },
  window: { createStatusBarItem: () => item, showInformationMessage: (text: string) => said.push(text) },
  commands: { registerCommand: (id: string, handler: () => unknown) => handlers.set(id, handler) },
}));
const { activate } = await import('../../extension/web.ts');

const root = join(import.meta.dirname, '../..');

test('the status bar and each command say why Hearth does not run', () => {
  const packageJSON = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const ids = packageJSON.contributes.commands.map(({ command }: { command: string }) => command);
  activate({ extension: { packageJSON }, subscriptions: [] } as unknown as ExtensionContext);
  expect(item.show).toHaveBeenCalledOnce();
  expect([...handlers.keys()]).toEqual(ids);
  expect(ids).toContain(item.command);
  for (const handler of handlers.values()) handler();
  expect(new Set([...said, item.tooltip]).size).toBe(1);
  expect(item.tooltip).toMatch(/^Hearth does not run in the browser: .*\.$/);
});

test("the browser's program needs nothing that a browser lacks", () => {
  const path = join(root, 'dist/web.js');
  expect(existsSync(path), 'npm run build writes it').toBe(true);
  const asked = [...readFileSync(path, 'utf8').matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name);
  expect(asked).toEqual(['vscode']);
});
