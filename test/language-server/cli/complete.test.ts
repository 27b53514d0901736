// Which files `hearth complete` refuses. Everything else about it is tested with the engine.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Values } from '../../../language-server/cli/command.ts';
import { completeCommand } from '../../../language-server/cli/complete.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

const server = 'http://127.0.0.1:9';
const password = `password = "hV7x9Qz2${'kLmP4rT8'}"\n`;

test.each<[string, string, Values]>([
  ['with the name of a secrets file', '.env', {}],
  ['with the name of a secrets file, for a server', '.env', { server }],
  ['with a password in it, for a server', 'settings.py', { server }],
])('a file %s is refused before a model is loaded', async (_, name, values) => {
  const path = join(folder, name);
  writeFileSync(path, password);
  const none = { ...values, model: join(folder, 'none.gguf') };
  await expect(completeCommand.run(none, [`${path}:1`])).rejects.toThrow('may hold secrets');
});

test('a byte order mark does not count as a column', async () => {
  const path = join(folder, 'mark.cs');
  writeFileSync(path, '\ufeffabc\n');
  await expect(completeCommand.run({}, [`${path}:1:5`])).rejects.toThrow('has columns 1 to 4; there is no column 5');
});

test('the model on this machine completes a file with a password in it', async () => {
  const path = join(folder, 'local.py');
  writeFileSync(path, password);
  const none = { model: join(folder, 'none.gguf') };
  await expect(completeCommand.run(none, [`${path}:1`])).rejects.not.toThrow('may hold secrets');
});
