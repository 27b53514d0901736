// Replaces the `code` executable that @vscode/test-electron starts. It runs the tests in the extension host of VS
// Code's server, with a headless browser instead of a desktop, prints the tests' output and ends with their exit code.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import { launchBrowser } from './browser.ts';
import { CodeServer } from './code-server.ts';

// Messages of VS Code itself in a page's console: its own stack traces, "[Service Worker] ..." and the like.
const noise = /\/out\/vs\/|^(\[|Creating a socket|Resolv|Updating additional|Extension host|Timed out|getaddrinfo)/;

function option(name: string): string {
  const argument = process.argv.find((word) => word.startsWith(`--${name}=`));
  if (!argument) throw new Error(`--${name}=... is missing`);
  return argument.slice(name.length + 3);
}

const server = new CodeServer({ isTestDriver: true });
await server.start();
const browser = await launchBrowser();
let code = 1;
try {
  const page = await browser.newPage();
  const ended = new Promise<number>((end) => void page.exposeFunction('codeAutomationExit', end));
  await page.exposeFunction('codeAutomationLog', (_type: string, words: unknown[]) => {
    const line = format(...words);
    if (!noise.test(line)) console.log(line);
  });
  const payload = JSON.stringify(
    ['extensionDevelopmentPath', 'extensionTestsPath'].map((name) => [name, server.remoteUri(option(name))]),
  );
  const folder = join(server.root, 'workspace');
  mkdirSync(folder);
  await page.goto(`${server.url}/?${new URLSearchParams({ folder, payload })}`);
  code = await ended;
} finally {
  await browser.close();
  await server.stop();
}
process.exit(code);
