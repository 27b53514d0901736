// Measures the steps from a fresh install to a better model, in seconds: the steps that the extension takes after one
// click, with its own download code and the built language server, which is not restarted. A mirror on this machine
// serves the model.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { download } from '../../extension/download/download.ts';
import { type ModelList, modelsRequest, type RemoteFile } from '../../language-server/protocol/models.ts';
import { LspClient } from '../../test/support/lsp-client.ts';

export interface Step {
  name: string;
  seconds: number;
}

const text = 'def add(a, b):\n    return a + b\n\n\ndef multiply(a, b):\n    return';

/** model: the GGUF file that the mirror serves. */
export async function timeFirstModel(root: string, model: string): Promise<Step[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-first-model-'));
  const file = await remoteFile(model);
  const mirror = createServer((_, response) => {
    response.setHeader('content-length', file.maxBytes);
    createReadStream(model).pipe(response);
  });
  await once(mirror.listen(0, '127.0.0.1'), 'listening');
  const steps: Step[] = [];
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    steps.push({ name, seconds: (performance.now() - start) / 1000 });
    return result;
  };
  try {
    const command = [process.execPath, join(root, 'dist', 'server.js'), '--stdio'];
    const options = { bundledModel: join(root, 'models', 'starter.gguf'), storageFolder: join(folder, 'storage') };
    const client = await step('the server starts and loads the starter model', async () => {
      const started = await LspClient.start(command, {}, options);
      await started.status(({ health, isStarter }) => health === 'ready' && isStarter === true);
      return started;
    });
    const uri = 'file:///multiply.py';
    await client.open(uri, text, 'python');
    await step("the starter model's first suggestion", () => client.complete(uri, 5, 10));
    const list = await step('the machine is measured, and a model recommended', () =>
      client.connection.sendRequest<ModelList>(modelsRequest.method, { downloadFolder: folder }),
    );
    if (list.recommended === undefined) throw new Error('no model is recommended');
    const address = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`;
    const signal = new AbortController().signal;
    const path = await step('the model is downloaded from 127.0.0.1 and verified', () =>
      download(file, folder, { signal, mirror: address }),
    );
    await step('the server has loaded it in place of the starter model', async () => {
      await client.settings({ 'model.path': path });
      await client.status(({ health, isStarter, model }) => health === 'ready' && !isStarter && model?.path === path);
    });
    await step('its first suggestion, for a prompt that it has not read', () => client.complete(uri, 5, 10));
    await client.stop();
    return steps;
  } finally {
    mirror.close();
    rmSync(folder, { recursive: true });
  }
}

async function remoteFile(path: string): Promise<RemoteFile> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path), digest);
  const { size } = statSync(path);
  const name = basename(path);
  return { name, url: `https://models.example/${name}`, minBytes: size, maxBytes: size, sha256: digest.digest('hex') };
}
