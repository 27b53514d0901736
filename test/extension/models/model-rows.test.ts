import { expect, test } from 'vitest';
import { downloadQuestion, estimateText, modelRows } from '../../../extension/models/model-rows.ts';
import type { DownloadableModel, LocalModel, ModelFacts } from '../../../language-server/protocol/models.ts';

const facts: ModelFacts = {
  id: 'one',
  name: 'Qwen2.5-Coder 1.5B',
  kind: 'base',
  completes: true,
  quantization: 'Q4_K_M',
  licence: 'Apache-2.0',
  isForResearchOnly: false,
  fileBytes: 986e6,
  estimate: { tokensPerSecond: 45.4, firstTextMs: 82.3, memoryBytes: 1.24e9 },
  note: '',
};
const file = { name: 'a.gguf', url: '', minBytes: 0, maxBytes: 0, sha256: '0'.repeat(64) };
const remote: DownloadableModel = { ...facts, file };
const local: LocalModel = { ...facts, id: 'two', name: 'coder', path: '/models/coder.gguf', owner: 'Ollama' };

const none = { path: '', explainPath: '' };

const sections = (rows: ReturnType<typeof modelRows>) =>
  rows.map((row) => ('section' in row ? `# ${row.section}` : row.label));

test('the recommended model stands first', () => {
  const rows = modelRows({ local: [local], remote: [remote], recommended: 'one' }, none);
  expect(sections(rows)).toEqual([
    '# Recommended',
    '$(cloud-download) Qwen2.5-Coder 1.5B',
    '# On This Machine',
    'coder',
    '# Others',
    '$(folder-opened) A File…',
    '$(check) The Starter Model',
  ]);
  expect(rows[1]).toMatchObject({
    description: 'Q4_K_M · 1.0 GB · Apache-2.0',
    detail: '~45 tokens/s, 1.2 GB of memory, first text in ~82 ms',
    choice: { kind: 'remote', model: remote },
  });
});

test('the model in use is marked, and its program named', () => {
  const rows = modelRows({ local: [local], remote: [] }, { ...none, path: '/models/coder.gguf' });
  expect(sections(rows)).toContain('$(check) coder');
  expect(sections(rows)).toContain('The Starter Model');
  expect(rows[1]).toMatchObject({
    description: 'Q4_K_M · 1.0 GB · Apache-2.0 · Ollama',
    choice: { kind: 'local', model: local },
  });
});

test('the model for explanations has a mark of its own', () => {
  const rows = modelRows({ local: [local], remote: [] }, { path: '/other', explainPath: '/models/coder.gguf' });
  expect(sections(rows)).toContain('$(comment-discussion) coder');
});

test('sections without rows are left out', () => {
  expect(sections(modelRows({ local: [], remote: [] }, { ...none, path: '/x' }))).toEqual([
    '# Others',
    '$(folder-opened) A File…',
    'The Starter Model',
  ]);
});

test('a research licence, a note and an unknown licence are shown for what they are', () => {
  const research = { ...remote, licence: 'Qwen Research', isForResearchOnly: true, note: 'It only explains.' };
  const [, row] = modelRows({ local: [], remote: [research] }, none);
  expect(row).toMatchObject({ description: 'Q4_K_M · 1.0 GB · Qwen Research: for research only' });
  expect(row).toMatchObject({ detail: expect.stringMatching(/82 ms\. It only explains\.$/) });
  const [, bare] = modelRows({ local: [{ ...local, licence: '' }], remote: [] }, none);
  expect(bare).toMatchObject({ description: 'Q4_K_M · 1.0 GB · Ollama' });
});

test('an estimate has two digits, and only what was measured', () => {
  expect(estimateText({ tokensPerSecond: 7.26, firstTextMs: 1234, memoryBytes: 8.1e9 })).toBe(
    '~7.3 tokens/s, 8.1 GB of memory, first text in ~1200 ms',
  );
  expect(estimateText({ tokensPerSecond: null, firstTextMs: null, memoryBytes: 8.1e9 })).toBe('8.1 GB of memory');
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
