// In a real editor, an administrator's settings for all users override those of the user and of the workspace.
import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CompletionServer, stream } from '../support/completion-server.ts';
import { canManage, settingsText } from './code-server.ts';
import { useEditor } from './editor.ts';

const sample = 'function add(a: number, b: number): number {\n  ';

const companyServer = await CompletionServer.start();
const userServer = await CompletionServer.start();
companyServer.defaultAnswer = stream(' company(a);');
userServer.defaultAnswer = stream(' user(a);');
const managed = { 'hearth.server.url': companyServer.url, hearth: { server: { model: 'coder=Qwen2.5-Coder-7B' } } };

afterAll(async () => {
  await companyServer.close();
  await userServer.close();
});

// The test mounts its own /etc/hearth, which some containers forbid.
describe.skipIf(!canManage())("with an administrator's file", () => {
  beforeAll(() => {
    vi.stubEnv('HEARTH_SERVER_TOKEN', 'X-API-Key: for-everyone');
    return () => void vi.unstubAllEnvs();
  });
  // Nothing listens at the workspace's address.
  const workspaceSettings = JSON.stringify({ 'hearth.server.url': 'http://127.0.0.1:9' });
  const { server, bench } = useEditor({
    files: { 'math.ts': '', '.vscode/settings.json': workspaceSettings },
    settings: { 'hearth.server.url': userServer.url, 'hearth.server.model': 'mine', 'hearth.mode': 'automatic' },
    managed,
  });

  const ghostText = () => expect.poll(() => bench.shownGhostText());

  test("the administrator's server is asked with the environment's token, and the user's server is not asked", async () => {
    await bench.statusSays(/ready/);
    await bench.setText(sample);
    await bench.type('return');
    await ghostText().toContain('company');
    expect(companyServer.asked.at(-1)?.body.model).toBe('coder');
    expect(companyServer.asked.at(-1)?.headers['x-api-key']).toBe('for-everyone');
    expect([...userServer.asked, ...userServer.probes]).toEqual([]);
  });

  test("a new window reads the administrator's file again; without the file, the user's settings apply", async () => {
    rmSync(server.managedFile);
    await bench.reload();
    await bench.statusSays(/ready/);
    await bench.setText(sample);
    await bench.type('return');
    await ghostText().toContain('user');
    expect(userServer.asked.at(-1)?.body.model).toBe('mine');
  });

  test("a user's own token is sent to the administrator's server, although the user has set no server", async () => {
    writeFileSync(server.settingsFile, settingsText({}));
    writeFileSync(server.managedFile, JSON.stringify(managed));
    await bench.reload();
    await bench.statusSays(/ready/);
    await bench.runCommand('Hearth: Set Server Token');
    await bench.page.locator('.quick-input-title', { hasText: 'Set Server Token' }).waitFor();
    await bench.type('my-own');
    await bench.press('Enter');
    // The new server process finds out at once whether the company's server answers.
    await expect.poll(() => companyServer.probes.at(-1)?.headers.authorization).toBe('Bearer my-own');
  });
});
