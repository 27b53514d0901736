import { expect, test } from 'vitest';
import { statusReport } from '../../../extension/status/status-report.ts';
import type { ServerStatus } from '../../../language-server/protocol/messages.ts';

const model = { name: 'Coder 1.5B', device: 'cpu', fallbackReason: 'no NVIDIA GPU' } as ServerStatus['model'];
const ready: ServerStatus = { health: 'ready', ...(model && { model }), decodeTokensPerSecond: 42 };
const report = 'ok      node: v24\nok      GPU: none\n';

test('sentences for the user come first, then the lines for a bug report', () => {
  expect(statusReport(ready, report)).toBe(
    'For you\n\n' +
      'Hearth: ready, 42 tokens per second.\n' +
      'Code is completed by Coder 1.5B.\n' +
      'It runs on the processor of this computer. No GPU or server is used: no NVIDIA GPU.\n' +
      'All checks have passed.\n\n\n' +
      `For a report\n\n${report}`,
  );
});

test('the report names the starter model, the model for explanations and ignored settings', () => {
  const text = statusReport(
    { ...ready, isStarter: true, explainModel: model!, settingProblems: ['A is not B.'] },
    report,
  );
  expect(text).toContain('not much more. "Hearth: Use Recommended Model" gets a better one.\n');
  expect(text).toContain('Code is explained by Coder 1.5B.\n');
  expect(text).toContain('A is not B.\n');
});

test('a failed check is named among the first sentences, which do not say that all checks have passed', () => {
  const text = statusReport(ready, `${report}BROKEN  model file: /x.gguf does not exist\n`);
  expect(text).toContain('This does not work: model file: /x.gguf does not exist\n\n\nFor a report');
  expect(text).not.toContain('All checks');
});

test('without a server, both parts say what is wrong', () => {
  const text = statusReport({ health: 'error', message: 'it crashed' }, 'The Hearth server is not running.');
  expect(text).toBe('For you\n\nHearth: it crashed.\n\n\nFor a report\n\nThe Hearth server is not running.\n');
});

test('the report says whether a tried GPU is in use, with its figures', () => {
  const text = (gpuTrial: object, device = 'cpu') =>
    statusReport({ ...ready, model: { ...model!, device, gpuTrial } as ServerStatus['model'] & object }, report);
  const figures = { reading: 2.14, writing: 1.4, isFaster: true };
  const sentence = "Your GPU was tried: reading 2.1 times, writing 1.4 times the CPU's speed";
  expect(text({ gpu: 'A', figures }, 'gpu')).toContain(`It runs on the GPU of this computer.\n${sentence}: in use.\n`);
  expect(text({ gpu: 'A', figures })).toContain(`${sentence}: in use from the next start.\n`);
  expect(text({ gpu: 'A', figures: { ...figures, isFaster: false } })).toContain(`${sentence}: not in use.\n`);
  expect(text({ gpu: 'A', problem: 'it hangs' })).toContain('Your GPU was tried and is not in use: it hangs.\n');
});
