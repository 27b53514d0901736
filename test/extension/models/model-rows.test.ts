import { expect, test } from 'vitest';
import { modelRows } from '../../../extension/models/model-rows.ts';
import { abilityText, downloadQuestion } from '../../../extension/models/model-words.ts';
import type { DownloadableModel, LocalModel, ModelFacts } from '../../../language-server/protocol/models.ts';

const facts: ModelFacts = {
  id: 'one',
  name: 'Qwen2.5-Coder 1.5B',
  kind: 'base',
  completes: true,
  explains: false,
  writesEdits: false,
  quantization: 'Q4_K_M',
  licence: 'Apache-2.0',
  isForResearchOnly: false,
  fileBytes: 986e6,
  estimate: { tokensPerSecond: 45.4, firstTextMs: 82.3, memoryBytes: 1.24e9 },
};
const file = { name: 'a.gguf', url: '', minBytes: 0, maxBytes: 0, sha256: '0'.repeat(64) };
const remote: DownloadableModel = { ...facts, file };
const local: LocalModel = { ...facts, id: 'two', name: 'coder', path: '/models/coder.gguf', owner: 'Ollama' };

const none = { path: '', explainPath: '' };

const sections = (rows: ReturnType<typeof modelRows>) =>
  rows.map((row) => ('section' in row ? `# ${row.section}` : row.label));

test('the model in use comes first, then the recommended one', () => {
  const rows = modelRows({ local: [local], remote: [remote], recommended: 'one' }, none);
  expect(sections(rows)).toEqual([
    '# In Use',
    '$(check) The Starter Model',
    '# Recommended',
    '$(cloud-download) Qwen2.5-Coder 1.5B',
    '# On This Machine',
    'coder',
    '# Others',
    '$(folder-opened) A File…',
  ]);
  expect(rows[3]).toMatchObject({
    description: 'Q4_K_M · 1.0 GB · Apache-2.0',
    detail: 'Comes while you type: a line in ~0.3 s. 1.2 GB of memory',
    choice: { kind: 'remote', model: remote },
  });
});

test('the row of the model in use is marked, and names the program that it comes from', () => {
  const list = { local: [local, { ...local, id: 'three', name: 'other', path: '/other' }], remote: [] };
  const rows = modelRows(list, { ...none, path: '/models/coder.gguf' });
  expect(sections(rows)).toEqual([
    '# In Use',
    '$(check) coder',
    '# On This Machine',
    'other',
    '# Others',
    '$(folder-opened) A File…',
    'The Starter Model',
  ]);
  expect(rows[1]).toMatchObject({
    description: 'Q4_K_M · 1.0 GB · Apache-2.0 · Ollama',
    choice: { kind: 'local', model: local },
  });
});

test('the row of a local model says whether the adapters in the settings can be loaded with it', () => {
  const adapters = [
    { name: 'team.gguf', fits: true },
    { name: 'edits.gguf', fits: false },
  ];
  const rows = modelRows({ local: [{ ...local, adapters }], remote: [] }, { ...none, path: local.path });
  expect(rows[1]).toMatchObject({
    detail:
      "Comes while you type: a line in ~0.3 s. 1.2 GB of memory. With your adapter team.gguf. Your adapter edits.gguf can't be loaded with it",
  });
});

test('a model that is in use and recommended is listed once', () => {
  const rows = modelRows({ local: [local], remote: [], recommended: 'two' }, { ...none, path: '/models/coder.gguf' });
  expect(sections(rows).slice(0, 3)).toEqual(['# In Use, Recommended', '$(check) coder', '# Others']);
});

test('if the machine was busy during all measurements, a row says so', () => {
  const rows = modelRows({ local: [], remote: [remote], recommended: 'one', isBusy: true }, none);
  expect(sections(rows).slice(2, 5)).toEqual([
    '# Recommended',
    '$(cloud-download) Qwen2.5-Coder 1.5B',
    '$(watch) This Machine Is Busy',
  ]);
});

test('the model for explanations has its own mark', () => {
  const rows = modelRows({ local: [local], remote: [] }, { path: '/other', explainPath: '/models/coder.gguf' });
  expect(sections(rows)).toContain('$(comment-discussion) coder');
});

test('sections without rows are left out, and a model from elsewhere is named by its file', () => {
  const rows = modelRows({ local: [], remote: [] }, { ...none, path: '/models/x.gguf' });
  expect(rows[1]).toMatchObject({ detail: '/models/x.gguf', choice: { kind: 'current' } });
  expect(sections(rows)).toEqual([
    '# In Use',
    '$(check) x.gguf',
    '# Others',
    '$(folder-opened) A File…',
    'The Starter Model',
  ]);
});

test('research licences and unknown licences are shown as such', () => {
  const research = { ...remote, licence: 'Qwen Research', isForResearchOnly: true };
  const rows = modelRows({ local: [{ ...local, licence: '' }], remote: [research] }, none);
  const described = rows.flatMap((row) => ('section' in row ? [] : row.description));
  expect(described).toContain('Q4_K_M · 1.0 GB · Qwen Research: for research only');
  expect(described).toContain('Q4_K_M · 1.0 GB · Ollama');
});

test.each<[number | null, number | null, string]>([
  [45.4, 82.3, 'Comes while you type: a line in ~0.3 s. 8.1 GB of memory'],
  [12, 210, 'Comes when you pause: a line in ~0.9 s. 8.1 GB of memory'],
  [0.72, 3234, 'Too slow while you type: a line in ~14 s. 8.1 GB of memory'],
  [null, null, '8.1 GB of memory'],
])('the row of a base model at %s tokens/s says what it is good for', (tokensPerSecond, firstTextMs, text) => {
  const estimate = { tokensPerSecond, firstTextMs, memoryBytes: 8.1e9 };
  expect(abilityText({ ...facts, estimate })).toBe(text);
});

test('the row of a model for explanations says how fast it is, and what it cannot do', () => {
  const instruct = { ...facts, kind: 'instruct' as const, explains: true };
  const speed = '100 words of explanation in ~2.9 s (45 tok/s). 1.2 GB of memory. ';
  expect(abilityText(instruct)).toBe(`${speed}Explains; a base model completes better`);
  expect(abilityText({ ...instruct, completes: false })).toMatch(/ memory\. Only explains: /);
  const line = 'Comes while you type: a line in ~0.3 s. 1.2 GB of memory. ';
  expect(abilityText({ ...instruct, writesEdits: true })).toBe(`${line}Writes edits`);
  expect(abilityText({ ...facts, writesEdits: true })).toBe(`${line}Writes edits`);
  expect(abilityText({ ...facts, completes: false })).toBe('1.2 GB of memory. Can neither complete nor explain');
});

test('the question before a download names size, host, licence and whether the digest is known', () => {
  expect(downloadQuestion(remote, 'huggingface.co')).toEqual({
    message: 'Download Qwen2.5-Coder 1.5B Q4_K_M (1.0 GB) from huggingface.co?',
    detail: 'License: Apache-2.0. The file is verified by its SHA-256 digest.',
  });
  const research = { ...remote, licence: 'Qwen Research', isForResearchOnly: true, file: { ...file, sha256: null } };
  expect(downloadQuestion(research, 'mirror:8080')).toEqual({
    message: 'Download Qwen2.5-Coder 1.5B Q4_K_M (1.0 GB) from mirror:8080?',
    detail:
      'Its license (Qwen Research) forbids commercial use. Hearth knows no SHA-256 digest of this file. Only its ' +
      'approximate length is checked.',
  });
});
