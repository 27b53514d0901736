// What an administrator has set for all users holds in a real editor, whatever the user and the workspace have set.
import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { CompletionServer, stream } from '../support/completion-server.ts';
import { type CodeServer, canManage, settingsText } from './code-server.ts';
import { Editor, openingMs } from './editor.ts';
import type { Workbench } from './workbench.ts';

const sample = 'function add(a: number, b: number): number {\n  ';

let ofCompany: CompletionServer;
let ofUser: CompletionServer;
let editor: Editor;
let server: CodeServer;
let bench: Workbench;
let managed: object;

// Some containers let nobody mount anything; then this cannot be tried.
describe.skipIf(!canManage())("with an administrator's file", () => {
  beforeAll(async () => {
    vi.stubEnv('HEARTH_SERVER_TOKEN', 'X-API-Key: for-everyone');
    ofCompany = await CompletionServer.start();
    ofUser = await CompletionServer.start();
    ofCompany.usual = stream(' company(a);');
    ofUser.usual = stream(' user(a);');
    const ofWorkspace = JSON.stringify({ 'hearth.server.url': 'http://127.0.0.1:9' });
    const settings = { 'hearth.server.url': ofUser.url, 'hearth.server.model': 'mine', 'hearth.mode': 'automatic' };
    managed = { 'hearth.server.url': ofCompany.url, hearth: { server: { model: 'coder=Qwen2.5-Coder-7B' } } };
    const files = { 'math.ts': '', '.vscode/settings.json': ofWorkspace };
    editor = await Editor.open({ files, settings, managed });
    ({ server, bench } = editor);
  }, openingMs);

  afterAll(async () => {
    await editor?.close();
    await ofCompany?.close();
    await ofUser?.close();
    vi.unstubAllEnvs();
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await bench.afterFailure(task.name);
  }, 90_000);

  const ghostText = () => expect.poll(() => bench.shownGhostText(), { timeout: 20_000 });

  test("the administrator's server is asked, with the token of the environment, and the user's is not", async () => {
    await bench.statusSays(/ready/, 60_000);
    await bench.setText(sample);
    await bench.type('return');
    await ghostText().toContain('company');
    expect(ofCompany.asked.at(-1)?.body.model).toBe('coder');
    expect(ofCompany.asked.at(-1)?.headers['x-api-key']).toBe('for-everyone');
    expect([...ofUser.asked, ...ofUser.probes]).toEqual([]);
  });

  test('a new window reads the file anew: without it, the user decides', async () => {
    rmSync(server.managedFile);
    await bench.runCommand('Developer: Reload Window');
    await bench.statusSays(/ready/, 60_000);
    await bench.setText(sample);
    await bench.type('return');
    await ghostText().toContain('user');
    expect(ofUser.asked.at(-1)?.body.model).toBe('mine');
  });

  test("a token of the user's own is sent to the administrator's server, although the user has set none", async () => {
    writeFileSync(server.settingsFile, settingsText({}));
    writeFileSync(server.managedFile, JSON.stringify(managed));
    await bench.runCommand('Developer: Reload Window');
    await bench.statusSays(/ready/, 60_000);
    await bench.runCommand('Hearth: Set Server Token');
    await bench.page.locator('.quick-input-title', { hasText: 'Set Server Token' }).waitFor();
    await bench.type('my-own');
    await bench.press('Enter');
    // The new server process finds out at once whether the company's answers.
    await expect.poll(() => ofCompany.probes.at(-1)?.headers.authorization, { timeout: 30_000 }).toBe('Bearer my-own');
  });
});
