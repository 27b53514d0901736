import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findLocalModels } from '../../../language-server/models/local-models.ts';
import { modelFolders } from '../../../language-server/models/model-folders.ts';
import type { ModelDescription } from '../../../native/index.ts';

let home: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'hearth-home-')));
});
afterEach(() => rmSync(home, { recursive: true }));

const find = (env = {}, signal = new AbortController().signal) => {
  const folders = modelFolders({ platform: 'linux', home, env });
  return findLocalModels(
    folders.filter(({ path }) => path.startsWith(home)),
    signal,
    describe,
  );
};
const names = async (env = {}) => (await find(env)).map(({ owner, knownAs }) => `${owner}: ${knownAs}`);

/** A file in place of a model. It begins with the name of its architecture. */
function model(path: string, architecture = 'qwen2', bytes = 2 ** 20): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, architecture);
  appendFileSync(file, Buffer.alloc(bytes));
  return file;
}

async function describe(path: string): Promise<ModelDescription> {
  if (readFileSync(path, 'latin1').slice(0, 5) !== 'qwen2') throw new Error('The engine cannot run this.');
  const cost = { fileBytes: statSync(path).size, parameters: 0, readBytesPerToken: 0, weightsPerToken: 0 };
  return { metadata: {}, specialTokens: [], quantization: '', contextTokens: 0, kvBytesPerToken: 0, ...cost };
}

test('files from LM Studio and llama.cpp are found', async () => {
  model('.lmstudio/models/Qwen/Qwen2.5-Coder-GGUF/coder.gguf');
  model('.cache/llama.cpp/ggml-org_coder-q8_0.gguf');
  expect(await names()).toEqual(['LM Studio: coder', 'llama.cpp: ggml-org_coder-q8_0']);
});

test("files in Hugging Face's cache are found through its links", async () => {
  const blob = model('.cache/huggingface/hub/models--a--b/blobs/abc');
  const snapshot = join(home, '.cache/huggingface/hub/models--a--b/snapshots/123');
  mkdirSync(snapshot, { recursive: true });
  symlinkSync('../../blobs/abc', join(snapshot, 'coder.gguf'));
  const [found] = await find();
  expect(found).toMatchObject({ owner: 'Hugging Face', knownAs: 'coder', path: join(snapshot, 'coder.gguf') });
  symlinkSync(blob, join(snapshot, 'again.gguf'));
  expect((await find()).length).toBe(1);
});

test('a model that several programs have is listed once, whether its file is linked or copied', async () => {
  const file = model('.lmstudio/models/Qwen/coder.gguf');
  mkdirSync(join(home, '.cache/llama.cpp'), { recursive: true });
  mkdirSync(join(home, '.cache/huggingface/hub'), { recursive: true });
  linkSync(file, join(home, '.cache/llama.cpp/Qwen_coder.gguf'));
  copyFileSync(file, join(home, '.cache/huggingface/hub/Coder.gguf'));
  model('.cache/huggingface/hub/another/coder.gguf', 'qwen2', 2 ** 21);
  expect(await names()).toEqual(['LM Studio: coder', 'Hugging Face: coder']);
});

test("Ollama's blobs are named by its manifests", async () => {
  const digest = 'a'.repeat(64);
  const blob = model(`.ollama/models/blobs/sha256-${digest}`);
  const manifests = join(home, '.ollama/models/manifests/registry.ollama.ai/library/qwen2.5-coder');
  mkdirSync(manifests, { recursive: true });
  const layers = [
    { mediaType: 'application/vnd.ollama.image.license', digest: `sha256:${'b'.repeat(64)}` },
    { mediaType: 'application/vnd.ollama.image.model', digest: `sha256:${digest}` },
  ];
  writeFileSync(join(manifests, '1.5b-base'), JSON.stringify({ layers }));
  writeFileSync(join(manifests, 'broken'), '{');
  const outside = JSON.stringify({ layers: [{ ...layers[1], digest: 'sha256:../../../etc/passwd' }] });
  writeFileSync(join(manifests, 'outside'), outside);
  writeFileSync(join(manifests, 'long'), JSON.stringify({ layers }) + ' '.repeat(2 ** 20));
  writeFileSync(join(home, 'elsewhere'), JSON.stringify({ layers }));
  symlinkSync(join(home, 'elsewhere'), join(manifests, 'a-link-out'));
  if (platform() !== 'win32') {
    const pipe = join(home, '.ollama/models/pipe');
    execFileSync('mkfifo', [pipe]);
    symlinkSync(pipe, join(manifests, 'a-pipe'));
  }
  expect(await find()).toMatchObject([{ owner: 'Ollama', knownAs: 'qwen2.5-coder:1.5b-base', path: blob }]);
});

test('a link to a file outside of the folders is not offered', async () => {
  const elsewhere = model('elsewhere/secret.gguf');
  mkdirSync(join(home, '.lmstudio/models'), { recursive: true });
  symlinkSync(elsewhere, join(home, '.lmstudio/models/file.gguf'));
  symlinkSync(dirname(elsewhere), join(home, '.lmstudio/models/folder'));
  expect(await names()).toEqual([]);
});

test('other architectures, tiny files, damaged files and files in deep folders are left out', async () => {
  model('.lmstudio/models/gemma2.gguf', 'gemma2');
  model('.lmstudio/models/vocabulary.gguf', 'qwen2', 10);
  model('.lmstudio/models/1/2/3/4/5/6/deep.gguf');
  writeFileSync(join(home, '.lmstudio/models/damaged.gguf'), Buffer.alloc(2 ** 20 + 1, 7));
  expect(await names()).toEqual([]);
});

test('a split file is one model, if all its parts are there', async () => {
  for (const part of [1, 2, 3]) model(`.lmstudio/models/whole-0000${part}-of-00003.gguf`);
  for (const part of [1, 3]) model(`.lmstudio/models/lacking-0000${part}-of-00003.gguf`);
  const found = await find();
  expect(found.map(({ knownAs }) => knownAs)).toEqual(['whole']);
});

test('the search ends when its time is up', async () => {
  model('.lmstudio/models/coder.gguf');
  expect(await find({}, AbortSignal.abort())).toEqual([]);
});

test('each system has its own folders, which environment variables can move', () => {
  const paths = (platform: NodeJS.Platform, home: string, env = {}) =>
    modelFolders({ platform, home, env }).map(({ path }) => path);
  expect(paths('darwin', '/h')).toContain('/h/Library/Caches/llama.cpp');
  expect(paths('linux', '/h')).toContain('/usr/share/ollama/.ollama/models');
  expect(paths('win32', 'C:\\h', { LOCALAPPDATA: 'C:\\l' })).toContain('C:\\l\\llama.cpp');
  expect(paths('win32', 'C:\\h')).toContain('C:\\h\\.ollama\\models');
  const moved = { OLLAMA_MODELS: '/o', LLAMA_CACHE: '/l', HF_HOME: '/f', XDG_CACHE_HOME: '/c' };
  expect(paths('linux', '/h', moved)).toEqual(expect.arrayContaining(['/o', '/l', '/f/hub']));
  expect(paths('linux', '/h', { HF_HUB_CACHE: '/hub' })).toContain('/hub');
  const empty = { OLLAMA_MODELS: '', LLAMA_CACHE: '', HF_HOME: '', HF_HUB_CACHE: '', XDG_CACHE_HOME: '' };
  expect(paths('linux', '/h', empty)).toEqual(paths('linux', '/h'));
});
