// Takes the picture of an explanation in README.md. A real instruct model writes the explanation.
//   HEARTH_PICTURES=1 HEARTH_INSTRUCT_MODEL=FILE.gguf npx vitest run --root test/e2e explain.pictures
import { expect, test } from 'vitest';
import { useEditor } from './editor.ts';

const text = `function debounce(run: () => void, ms: number) {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
}

const save = debounce(() => console.log(1), 500);
addEventListener('keydown', save);
`;
const model = process.env.HEARTH_INSTRUCT_MODEL ?? '';
const settings = { 'hearth.model.path': model, 'editor.detectIndentation': false, 'editor.tabSize': 2 };

const { bench } = useEditor({ files: { 'save.ts': '' }, settings });

test.runIf(model !== '')('explains a function', async () => {
  await bench.statusSays(/ready/);
  await bench.setText(text);
  await bench.page.setViewportSize({ width: 1040, height: 560 });
  await bench.selectLines(4, 5);
  await bench.runCommand('Hearth: Explain Selection');
  await bench
    .webview()
    .getByText(/^\d+ tokens in [\d.]+ s/)
    .waitFor({ timeout: 150_000 });
  await bench.webview().locator('h1').scrollIntoViewIfNeeded();
  expect(await bench.webview().locator('main').textContent()).toMatch(/timer|delay|call/i);
  await bench.page.mouse.move(520, 450); // away from anything with a tooltip
  await bench.page.screenshot({ path: 'media/explain.png', clip: { x: 52, y: 93, width: 983, height: 435 } });
});
