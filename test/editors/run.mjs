// Real editors with the configurations in docs/editors: `npm run test:editors -- --nvim PROGRAM --emacs PROGRAM …`.
// Each option may be given several times; by default, the nvim and emacs of this machine are tested. An editor runs in
// a tmux terminal and receives keys as from a person. It must show ghost text from the starter model, hide it and
// accept it.
//   --pictures FOLDER   draws the terminal with ghost text as FOLDER/EDITOR.png (with chromium)
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { main, root, ToolError, version } from '../../scripts/tools.mjs';
import { draw } from './screen.mjs';
import { Terminal } from './terminal.mjs';

const text = { type: 'string', multiple: true };
const { values: options } = parseArgs({ options: { nvim: text, emacs: text, pictures: { type: 'string' } } });
const command = ['node', join(root, 'dist/hearth.js'), 'lsp', '--stdio'];
const document = 'def add(a, b):\n    """Add two numbers."""\n\n\nprint(add(1, 2))\n';
const typed = '    return a';

/** The minor version of Neovim. */
const minorOf = (program) => Number(/NVIM v0\.(\d+)/.exec(version(program) ?? '')?.[1]);

const configurations = {
  nvim(program, folder) {
    const asked = { cmd: command, settings: { 'completion.confidence': 'eager' } };
    const json = `vim.fn.json_decode(${JSON.stringify(JSON.stringify(asked))})`;
    const config = join(folder, 'init.lua');
    const page = readFileSync(join(root, 'docs/editors.md'), 'utf8');
    const builtIn = /```lua\n(-- Neovim 0\.12[\s\S]*?)```/.exec(page)?.[1]?.replace('/path/to/hearth', root);
    const own = `package.path = package.path .. ';${join(root, 'docs/editors')}/?.lua'
local hearth = require('hearth')
hearth.setup(${json})
vim.keymap.set('i', '<C-l>', hearth.accept)
vim.keymap.set('i', '<C-k>', hearth.dismiss)`;
    writeFileSync(config, `vim.o.swapfile = false\n${minorOf(program) >= 12 ? builtIn : own}`);
    const args = ['-u', config, '-n', '+3'];
    return { args, begin: ['i'], hide: 'Escape', accept: 'C-l', save: ['Escape', ':wq', 'Enter'] };
  },
  emacs(_, folder) {
    const config = join(folder, 'init.el');
    const list = command.map((word) => JSON.stringify(word)).join(' ');
    writeFileSync(
      config,
      `(load ${JSON.stringify(join(root, 'docs/editors/hearth.el'))})
(setq hearth-command '(${list}) hearth-settings '(:completion.confidence "eager") make-backup-files nil)
(add-hook 'prog-mode-hook #'hearth-mode)
(electric-indent-mode -1)`,
    );
    const args = ['-nw', '-Q', '-l', config, '+3'];
    return { args, begin: [], hide: 'C-g', accept: 'Tab', save: ['C-x', 'C-s', 'C-x', 'C-c'] };
  },
};

async function tryEditor(kind, program) {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-editor-'));
  const file = join(folder, 'sum.py');
  writeFileSync(file, document);
  const { args, begin, hide, accept, save } = configurations[kind](program, folder);
  const terminal = new Terminal([program, ...args, file], folder);
  const shows = (wanted, patienceMs) => terminal.until((screen) => /return a \+ b/.test(screen) === wanted, patienceMs);
  try {
    await terminal.until((screen) => screen.includes('Add two numbers'), 20_000);
    await sleep(500);
    for (const key of begin) terminal.press(key);
    for (const character of typed) {
      terminal.type(character);
      await sleep(60);
    }
    await shows(true, 30_000);
    if (readFileSync(file, 'utf8') !== document) throw new ToolError('the text was in the file before it was accepted');
    if (options.pictures) await draw(terminal.colours(), join(root, options.pictures, `${nameOf(kind, program)}.png`));
    terminal.press(hide);
    await shows(false, 5000);
    if (hide === 'Escape') terminal.press('a');
    terminal.type(' ');
    await shows(true, 10_000);
    terminal.press(accept);
    await sleep(500);
    for (const key of save) {
      terminal.press(key);
      await sleep(200);
    }
    await terminal.ended(10_000);
    const saved = readFileSync(file, 'utf8');
    if (!saved.includes('    return a + b')) throw new ToolError(`the suggestion was not accepted:\n${saved}`);
    return 'shows, hides and accepts ghost text';
  } catch (error) {
    throw new ToolError(`${error.message}\n${terminal.screen()}`);
  } finally {
    terminal.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function nameOf(kind, program) {
  const [first = ''] = (version(program) ?? '').split('\n');
  return `${kind}-${/[\d.]+\d/.exec(first)?.[0] ?? 'unknown'}`;
}

await main(async () => {
  if (options.pictures) mkdirSync(join(root, options.pictures), { recursive: true });
  const given = ['nvim', 'emacs'].flatMap((kind) => (options[kind] ?? []).map((program) => [kind, program]));
  const found =
    given.length > 0
      ? given
      : [
          ['nvim', 'nvim'],
          ['emacs', 'emacs'],
        ].filter(([, one]) => version(one));
  if (found.length === 0) throw new ToolError('there is neither Neovim nor Emacs here');
  let failed = 0;
  for (const [kind, program] of found) {
    try {
      console.log(`ok      ${nameOf(kind, program)}: ${await tryEditor(kind, program)}`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${nameOf(kind, program)}: ${error.message}`);
    }
  }
  if (failed > 0) throw new ToolError(`${failed} of ${found.length} editors failed`);
});
