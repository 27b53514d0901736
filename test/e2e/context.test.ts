// In the real editor, definitions and code from other open files become part of the prompt if they may be shared.
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useEditor } from './editor.ts';

const price = (name: string) =>
  `export function ${name}(amount: number, rate: number): number {\n  const factor = 1 + rate / 100;\n  return Math.round(amount * factor);\n}\n\n`;
const prices = ['grossPrice', 'netPrice', 'salePrice', 'memberPrice', 'exportPrice', 'importPrice'].map(price).join('');
const main =
  "import { grossPrice, netPrice } from './prices';\n\nexport function total(amount: number): number {\n  return grossPrice(amount, 19);\n}\n";

const { server, bench, folder } = useEditor({
  files: { 'main.ts': main, 'prices.ts': prices },
  beforeWindow: () => void execFileSync('git', ['init', '-q', folder]),
});

/** The length of the longest prompt for a completion in main.ts, in tokens. */
function longestPrompt(): number {
  const lines = [...server.hearthLog().matchAll(/completion at main\.ts.* of (\d+) prompt tokens cached/g)];
  return Math.max(0, ...lines.map(([, tokens]) => Number(tokens)));
}

test("a key's prompt contains code from another file that defines a name at the cursor", async () => {
  await bench.statusSays(/ready/);
  const alone = main.length / 2; // main.ts has far fewer tokens than this
  // VS Code's language features need a moment before they know a definition, and Hearth evaluates the definition while
  // the cursor rests. So this tries again and again, each time with a different digit, since Hearth does not ask its
  // model a second time about the same text.
  let digit = 0;
  await expect
    .poll(async () => {
      await bench.press('Control+Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'End');
      await sleep(1000);
      await bench.type(String(digit++ % 10));
      await sleep(500);
      await bench.press('Control+z');
      return longestPrompt();
    })
    .toBeGreaterThan(alone);
});
