// A container may run with an unknown user ID and without HOME. The system then knows no home folder.
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { loadModel } from '../../../language-server/engine/load-model.ts';
import { loadOptions } from '../../../language-server/engine/load-options.ts';
import { listModels } from '../../../language-server/models/list.ts';
import { modelFolders } from '../../../language-server/models/model-folders.ts';
import { defaultSettings } from '../../../language-server/protocol/settings.ts';
import { Credential } from '../../../language-server/remote/credential.ts';

beforeAll(() => {
  vi.spyOn(os, 'homedir').mockImplementation(() => {
    throw new Error('uv_os_homedir returned ENOENT');
  });
  syncBuiltinESMExports();
});
afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const bundled = { bundledModel: '/starter.gguf' };

test('without a home folder, the starter and a model with an absolute path load, and models are listed', async () => {
  expect(loadOptions(defaultSettings, bundled).modelPath).toBe('/starter.gguf');
  expect(loadOptions({ ...defaultSettings, 'model.path': '/m.gguf' }, bundled).modelPath).toBe('/m.gguf');
  const list = await listModels(
    { downloadFolder: '/nowhere' },
    { engine: null, cacheBytes: 0, storageFolder: '', adapters: [] },
  );
  expect(list.remote.length).toBeGreaterThan(0);
});

test('without a home folder, the working directory is not searched instead', () => {
  for (const platform of ['linux', 'darwin', 'win32'] as const)
    for (const { path } of modelFolders({ platform, home: '', env: {} })) expect(path).toMatch(/^\/usr\/share\//);
});

test('without a home folder, the error for a path beginning with ~ says so', async () => {
  const { modelPath } = loadOptions({ ...defaultSettings, 'model.path': '~/m.gguf' }, bundled);
  await expect(loadModel({ modelPath })).rejects.toThrow(
    'The model file is to be at ~/m.gguf, but this user has no home folder. Give its whole path, or set HOME.',
  );
  await expect(new Credential('@~/token').headers(new AbortController().signal)).rejects.toThrow(
    'The file with the token is to be at ~/token, but this user has no home folder.',
  );
});
