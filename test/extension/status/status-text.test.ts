import MarkdownIt from 'markdown-it';
import { expect, test } from 'vitest';
import { type Status, statusLabel, statusText, statusTooltip } from '../../../extension/status/status-text.ts';
import type { ServerStatus } from '../../../language-server/protocol/messages.ts';
import type { ModelInfo } from '../../../native/model-types.ts';

const special = {
  fimPrefix: 1,
  fimMiddle: 2,
  fimSuffix: 3,
  fileSep: 4,
  repoName: 5,
  imStart: 6,
  imEnd: 7,
  endOfText: 0,
};
const model: ModelInfo = {
  name: 'Tiny',
  path: 'tiny.gguf',
  fileBytes: 32 * 2 ** 20,
  quantization: 'Q6_K',
  layers: 2,
  hidden: 64,
  vocabulary: 300,
  contextTokens: 4096,
  architecture: 'qwen2',
  bosToken: -1,
  suffixFirst: false,
  special,
  kvType: 'int8',
  device: 'cpu',
  backend: 'cpu avx2, 2 threads',
  fallbackReason: '',
  draftProblem: '',
  adapters: [],
  loadMs: 10,
  weightBytes: 30 * 2 ** 20,
  restoredPages: 0,
  diskProblems: [],
};
const last = {
  promptTokens: 400,
  cachedTokens: 398,
  prefillMs: 3,
  completionTokens: 7,
  decodeMs: 40,
  decodePasses: 7,
  ttftMs: 9,
};
const ready: ServerStatus = {
  health: 'ready',
  model,
  decodeTokensPerSecond: 42.4,
  prefillTokensPerSecond: 800.2,
  last: { ...last, latencyMs: 44.4, model: 'Coder [7B]' },
};

function check(status: Status, text: string, label: string): void {
  expect(statusText(status)).toBe(text);
  expect(statusLabel(status)).toBe(`Hearth, local completion: ${label}`);
}

test('each state has its text and its label for screen readers', () => {
  check({ health: 'starting' }, '$(loading~spin) Hearth', 'starting');
  check({ health: 'starting', message: 'once more' }, '$(loading~spin) Hearth', 'once more');
  check({ health: 'loading', progress: 0.426 }, '$(loading~spin) Hearth 42%', 'loading the model, 42%');
  check({ health: 'ready' }, '$(flame) Hearth', 'ready');
  check({ health: 'off' }, '$(circle-slash) Hearth', 'turned off');
  check({ health: 'error', message: 'No such file.' }, '$(error) Hearth', 'No such file.');
});

test('a ready server shows its speed', () => {
  check(ready, '$(flame) 42 tok/s', 'ready, 42 tokens per second');
  check({ ...ready, decodeTokensPerSecond: 4.25 }, '$(flame) 4.3 tok/s', 'ready, 4 tokens per second');
});

test('the status of the starter model has its name and a link to a better model', () => {
  const starter: ServerStatus = { ...ready, isStarter: true };
  check(starter, '$(flame) Starter Model', 'ready, 42 tokens per second');
  check({ ...starter, pause: 'manual' }, '$(debug-pause) Hearth', 'ready; suggestions only on request');
  expect(statusTooltip(starter)).toContain('can finish lines, but not much more');
  expect(statusTooltip(starter)).toContain('[Get a Better Model](command:hearth.useRecommendedModel)');
  expect(statusTooltip(ready)).not.toContain('hearth.useRecommendedModel');
});

test('the tooltip has a row for the model, the speed and the last answer', () => {
  const tooltip = statusTooltip(ready);
  expect(tooltip).toContain('| Model | Tiny \\(Q6\\_K, 32 MiB, context of 4096 tokens\\) |');
  expect(tooltip).toContain('| Speed | writing 42 tok/s, reading 800 tok/s |');
  expect(tooltip).toContain('| Last answer | 44 ms, by Coder \\[7B\\]; 2 of 400 prompt tokens read, 7 written |');
});

test("a model on a team's server is shown without size and quantization", () => {
  const remote = { ...model, name: 'Coder', device: 'server', quantization: '', fileBytes: 0 } as const;
  expect(statusTooltip({ ...ready, model: remote })).toContain('| Model | Coder \\(context of 4096 tokens\\) |');
});

test('the tooltip says how full the cache is, and the type of its values', () => {
  const cache = {
    ...{ pagesTotal: 100, pagesUsed: 25, pagesHeld: 0, pageBytes: 2 ** 20 },
    ...{ hitTokens: 3, missTokens: 1, evictions: 0 },
  };
  const engine = {
    state: 'idle',
    beat: 0,
    token: 0,
    layer: 0,
    op: '',
    opBytes: 0,
    stalledMs: 0,
    queued: 0,
    busyMs: 0,
  } as const;
  expect(statusTooltip({ ...ready, engine: { ...engine, cache, ops: [] } })).toContain(
    '| Cache | 25 MiB of 100 MiB \\(int8\\), 75% of the prompt tokens reused |',
  );
});

test('the tooltip says why the GPU is not used', () => {
  expect(statusTooltip(ready)).toContain('| Runs on | cpu avx2, 2 threads |');
  const fallbackReason = 'no AMD GPU: the runtime finds none (no device)';
  const tooltip = statusTooltip({ ...ready, model: { ...model, fallbackReason } });
  expect(tooltip).toContain(
    '| Runs on | cpu avx2, 2 threads \\(no AMD GPU\\: the runtime finds none \\(no device\\)\\) |',
  );
});

test('the tooltip says why the draft model is not used', () => {
  expect(statusTooltip(ready)).not.toContain('draft');
  const tooltip = statusTooltip({ ...ready, model: { ...model, draftProblem: 'small.gguf: no such file' } });
  expect(tooltip).toContain('| No draft model | small\\.gguf\\: no such file |');
});

test.each([
  ['a command', '[x](command:hearth.toggle) | y'],
  ['a page', 'https://evil.example'],
  ['a page without its scheme', 'www.evil.com'],
  ['an address', 'me@evil.example'],
])('the name of a model cannot put a link to %s into the tooltip', (_, name) => {
  const markdown = new MarkdownIt({ linkify: true });
  markdown.linkify.set({ fuzzyLink: true });
  expect(markdown.render(name)).toContain('<a href');
  const html = markdown.render(statusTooltip({ ...ready, model: { ...model, name } }));
  expect(html).toContain(name);
  expect(html).not.toContain('<a href');
});

test.each<[ServerStatus, string]>([
  [{ health: 'error', problem: 'model', message: 'No such file.' }, 'hearth.selectModel'],
  [{ health: 'error', problem: 'server', message: 'It crashed.' }, 'hearth.restartServer'],
  [{ health: 'error', problem: 'engine', message: 'It hangs.' }, 'hearth.restartServer'],
  [{ health: 'off' }, 'hearth.toggle'],
])('a problem has a link to its remedy: %o', (status, command) => {
  expect(statusTooltip(status)).toContain(`(command:${command})`);
});

test('a pause is shown with its reason', () => {
  const snoozeEnd = new Date(2026, 2, 1, 14, 35);
  const time = snoozeEnd.toLocaleTimeString('en', { timeStyle: 'short' });
  check({ ...ready, pause: 'snoozed', snoozeEnd }, '$(debug-pause) Hearth', `snoozed until ${time}`);
  check({ ...ready, pause: 'manual' }, '$(debug-pause) Hearth', 'ready; suggestions only on request');
});

test('the status of a model that cannot complete says that it only explains, and a second model has its own row', () => {
  check({ ...ready, onlyExplains: true }, '$(flame) 42 tok/s', 'ready to explain; this model does not complete code');
  const tooltip = statusTooltip({ ...ready, explainModel: { ...model, name: 'Talker' } });
  expect(tooltip).toMatch(/\| Model \| Tiny .*\n\| For explanations \| Talker /);
});

test('settings that were ignored are named in the tooltip', () => {
  expect(statusTooltip({ ...ready, settingProblems: ['hearth.mode must be …'] })).toContain(
    '- hearth\\.mode must be …',
  );
});
