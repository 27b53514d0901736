import { expect, test } from 'vitest';
import { trialText, withoutHome } from '../../../language-server/cli/gpu-report.ts';
import type { ModelDescription } from '../../../native/index.ts';

const model = { parameters: 1.54e9, quantization: 'Q4_K_M' } as ModelDescription;
const gpu = 'A GPU (1.0)';

test('the comparison is a table, and the model is described by its size', () => {
  const figures = {
    cpu: { reading: 312.4, writing: 20.1 },
    gpu: { reading: 655.9, writing: 28.2 },
    ...{ reading: 2.1, writing: 1.4, isFaster: true },
  };
  expect(trialText({ gpu, figures }, model)).toBe(
    [
      'A GPU (1.0) and the CPU with a model of 1.54B parameters, Q4_K_M, in tokens per second',
      '            reading    writing',
      'CPU           312.4       20.1',
      'GPU           655.9       28.2',
      'times           2.1        1.4',
      'The GPU is worth using.',
    ].join('\n'),
  );
  expect(trialText({ gpu, figures: { ...figures, isFaster: false } }, model)).toMatch(/not worth using\.$/);
});

test('reports why a GPU fails, or that there is none', () => {
  expect(trialText({ gpu: '', problem: 'it hangs' }, model)).toBe(
    'The GPU fails with a model of 1.54B parameters, Q4_K_M: it hangs',
  );
  expect(trialText(undefined, model)).toBe('No GPU was timed with WebGPU.');
});

test('the report does not contain the home folder', () => {
  const home = '/folders/ada';
  expect(withoutHome(`delete ${home}/.cache/hearth/gpu-lost-1`, home)).toBe('delete ~/.cache/hearth/gpu-lost-1');
  expect(withoutHome('a/b', '/')).toBe('a/b');
});
