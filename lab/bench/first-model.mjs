// Prints how many seconds each step from a fresh install to a better model takes (first-model.ts).
//   node lab/bench/first-model.mjs --model FILE
import { main, optionsFrom, root, ToolError } from '../../scripts/tools.mjs';
import { bundled } from '../../test/support/bundled.mjs';

const { model } = optionsFrom({ model: { type: 'string', default: '' } });
await main(async () => {
  if (model === '') throw new ToolError('--model FILE is missing: the model that a mirror on this machine serves');
  const { timeFirstModel } = await bundled('first-model', 'lab/bench/first-model.ts', {
    vscode: 'test/support/vscode.ts',
  });
  const steps = await timeFirstModel(root, model);
  const all = steps.reduce((sum, { seconds }) => sum + seconds, 0);
  for (const { name, seconds } of [...steps, { name: 'all', seconds: all }])
    console.log(`${seconds.toFixed(1).padStart(6)} s  ${name}`);
});
