// `npm run demo`: types a method into a sample file through the real language server, key by key as an editor would,
// and shows the ghost text. Where the ghost text is right, it is accepted instead of typed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, print } from '../../language-server/cli/command.ts';
import { makeTrace } from './make-trace.ts';
import { ReplayEditor } from './replay-editor.ts';
import { typeAndAccept } from './savings.ts';
import { Screen } from './screen.ts';
import { median } from './statistics.ts';
import { statesOf } from './trace.ts';

const samplePath = join(__dirname, '..', 'test', 'fixtures', 'demo', 'sample.ts');
// The sample file already has this method. Its body is taken out and typed again.
const signature = '  warmest(): Reading | undefined {';
const bodyEnd = '  }';

export const demoCommand: Command = {
  summary: 'type into a sample file and show the ghost text',
  operands: '',
  options: {},
  async run() {
    const sample = readFileSync(samplePath, 'utf8');
    const rows = sample.split('\n');
    const signatureRow = rows.indexOf(signature);
    const lines = rows.indexOf(bodyEnd, signatureRow) - signatureRow - 1;
    const trace = makeTrace('sample.ts', sample, { line: signatureRow + 2, lines, intervalMs: 1, autoClose: false });
    const asksAgain = false;
    const editor = await ReplayEditor.start(trace, {}, asksAgain);
    try {
      const { model } = editor.status;
      print(`\n${model?.name}, ${model?.backend}, loaded in ${Math.round(model?.loadMs ?? 0)} ms\n`);
      // On a terminal each key is shown at a readable speed; output to a file has no delays.
      const isWatched = process.stdout.isTTY === true;
      const screen = new Screen(isWatched);
      const latenciesMs: number[] = [];
      const savings = await typeAndAccept(editor, trace, async (moment) => {
        if (moment.timings) latenciesMs.push(moment.latencyMs);
        screen.show(moment);
        if (isWatched) await sleep(moment.accepted ? 700 : 60);
      });
      screen.end(statesOf(trace).at(-1));
      const { ghostTexts, charactersAccepted, keysTyped } = savings;
      const percent = Math.round((100 * charactersAccepted) / (charactersAccepted + keysTyped));
      const speed = Math.round(editor.status.decodeTokensPerSecond ?? 0);
      print(
        `\n${ghostTexts} ghost texts, median ${Math.round(median(latenciesMs))} ms after the key, ` +
          `${speed} tokens/s: ${keysTyped} keys typed, ${charactersAccepted} characters accepted (${percent} %).`,
      );
    } finally {
      await editor.close();
    }
  },
};
