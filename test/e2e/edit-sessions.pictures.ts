// Types the sessions of test/fixtures/edit-sessions (typist.ts). Writes everything typed and shown, with the time since
// the last key, and a picture of each offer into build/e2e/edit-sessions. A person must judge them.
//   HEARTH_PICTURES=1 HEARTH_EDIT_MODEL=MODEL.gguf HEARTH_EDIT_ADAPTER=ADAPTER.gguf npx vitest run --root test/e2e edit-sessions
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, inject, test } from 'vitest';
import { launchBrowser } from './browser.ts';
import { CodeServer } from './code-server.ts';
import { parseSession } from './edit-session.ts';
import { Typist } from './typist.ts';
import { Workbench } from './workbench.ts';

const sources = 'test/fixtures/edit-sessions';
const results = 'build/e2e/edit-sessions';
const { HEARTH_EDIT_MODEL: model, HEARTH_EDIT_ADAPTER: adapter } = process.env;
const settings = {
  'hearth.model.path': model ? resolve(model) : '',
  'hearth.model.editAdapter': adapter ? resolve(adapter) : '',
  'editor.autoIndent': 'none',
  'editor.autoSurround': 'never',
  'editor.cursorBlinking': 'solid',
  'editor.parameterHints.enabled': false,
  'editor.stickyScroll.enabled': false,
  'editor.suggestOnTriggerCharacters': false,
  'php.validate.enable': false,
};

const server = new CodeServer({ vsix: [inject('vsix')], settings });
const folder = join(server.root, 'sample');
let browser: Browser;

beforeAll(async () => {
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  await server.start();
  mkdirSync(folder);
  browser = await launchBrowser();
});

afterAll(async () => {
  writeFileSync(join(results, 'hearth.log'), server.hearthLog());
  await browser?.close();
  await server.stop();
});

test.each(readdirSync(sources))(
  '%s',
  async (source) => {
    const name = basename(source, '.txt');
    const session = parseSession(readFileSync(join(sources, source), 'utf8'));
    writeFileSync(join(folder, name), session.text);
    const bench = await new Workbench(server, folder, join(folder, name)).open(browser);
    await bench.page.setViewportSize({ width: 1000, height: 1000 });
    await bench.statusSays(/ready/);
    await sleep(3000); // the language features of the file load, too
    await new Typist(bench, { path: join(folder, name), results, hearthLog: () => server.hearthLog() }, session).work();
    await bench.close();
  },
  600_000,
);
