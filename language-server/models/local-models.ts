// Finds GGUF files in the folders of other programs. Depth, number of files and time of the search are limited, and
// symbolic links never lead it out of these folders.
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { describeModel, type ModelDescription } from '../../native/index.ts';
import type { ModelFolder } from './model-folders.ts';

interface Candidate {
  path: string;
  owner: string;
  /** The name that the program shows: the file's name, or Ollama's "name:tag". */
  knownAs: string;
}

export interface FoundModel extends Candidate {
  description: ModelDescription;
}

/** The depth of Hugging Face's cache, which is the deepest: hub/models--NAME/snapshots/REVISION/FOLDER/FILE. */
const maxDepth = 5;
const maxEntries = 20_000;
const maxMs = 3000;
/** Smaller files are vocabularies for tests, not models. */
const minBytes = 2 ** 20;
/** A larger file is no manifest: Ollama's manifests have about a kilobyte. */
const maxManifestBytes = 2 ** 20;

/** Lists each model once. describe: reads a model's file, and rejects if the engine cannot run the model. */
export async function findLocalModels(
  folders: ModelFolder[],
  signal = AbortSignal.timeout(maxMs),
  describe = describeModel,
): Promise<FoundModel[]> {
  const found: FoundModel[] = [];
  const seen = new Set<string>();
  for (const folder of folders) {
    const root = await realpath(folder.path).catch(() => undefined);
    if (root === undefined) continue;
    const candidates = folder.layout === 'manifests' ? ollamaModels(folder, root, signal) : ggufFiles(folder, signal);
    for await (const candidate of candidates) {
      if ((await targetIn(root, candidate.path)) === undefined) continue;
      const description = await describedIn(candidate.path, describe).catch(() => undefined);
      if (!description) continue;
      const model = { ...candidate, description };
      const keys = await identitiesOf(model).catch(() => []);
      if (!keys.some((key) => seen.has(key))) found.push(model);
      for (const key of keys) seen.add(key);
    }
  }
  return found;
}

/** The file that a path leads to; undefined if there is none, or if the file is outside of the folder. */
async function targetIn(root: string, path: string): Promise<string | undefined> {
  const target = await realpath(path).catch(() => undefined);
  return target?.startsWith(root + sep) ? target : undefined;
}

/** Two keys that identify a model: all links to its file share the first key, and all copies of its file the second. */
async function identitiesOf({ path, knownAs, description: { fileBytes } }: FoundModel): Promise<string[]> {
  const { dev, ino } = await stat(path, { bigint: true });
  return [`${dev}:${ino}:${fileBytes}`, `${knownAs.toLowerCase()}:${fileBytes}`];
}

/**
 * Undefined if the file is too small for a model. Rejects if the engine cannot run the model, or if a part of a split
 * file is missing.
 */
async function describedIn(path: string, describe: typeof describeModel): Promise<ModelDescription | undefined> {
  return (await bytesOfAllParts(path)) < minBytes ? undefined : describe(path);
}

const firstPart = /-00001-of-(\d{5})(?=\.gguf$)/i;
const laterPart = /-(?!00001)\d{5}-of-\d{5}\.gguf$/i;

/** The size of a model's file or files. path: that of the first or only part. */
export async function bytesOfAllParts(path: string): Promise<number> {
  const parts = Number(firstPart.exec(path)?.[1] ?? 1);
  let bytes = 0;
  for (let part = 1; part <= parts; part++) {
    const name = path.replace(firstPart, (_, count: string) => `-${String(part).padStart(5, '0')}-of-${count}`);
    bytes += (await stat(name)).size;
  }
  return bytes;
}

async function* ggufFiles({ owner, path }: ModelFolder, signal: AbortSignal): AsyncGenerator<Candidate> {
  for await (const file of filesBelow(path, signal)) {
    const name = basename(file);
    if (/\.gguf$/i.test(name) && !laterPart.test(name))
      yield { path: file, owner, knownAs: name.replace(firstPart, '').replace(/\.gguf$/i, '') };
  }
}

/**
 * Ollama's models. The JSON file manifests/HOST/NAMESPACE/NAME/TAG has a layer of type "model" with the digest of the
 * GGUF file.
 */
async function* ollamaModels(
  { owner, path }: ModelFolder,
  root: string,
  signal: AbortSignal,
): AsyncGenerator<Candidate> {
  for await (const file of filesBelow(join(path, 'manifests'), signal)) {
    const digest = modelDigest(await manifestAt(file, root).catch(() => ''));
    const knownAs = `${basename(dirname(file))}:${basename(file)}`;
    if (digest) yield { path: join(path, 'blobs', `sha256-${digest}`), owner, knownAs };
  }
}

/** The text of a manifest; '' if the path leads to anything else. To read from a pipe, for example, might never end. */
async function manifestAt(path: string, root: string): Promise<string> {
  const target = (await targetIn(root, path)) ?? '';
  const stats = await stat(target);
  return stats.isFile() && stats.size <= maxManifestBytes ? readFile(target, 'utf8') : '';
}

function modelDigest(manifest: string): string | undefined {
  try {
    const layers: { mediaType?: unknown; digest?: unknown }[] = JSON.parse(manifest).layers;
    const layer = layers.find(({ mediaType }) => mediaType === 'application/vnd.ollama.image.model');
    return /^sha256:([0-9a-f]{64})$/.exec(String(layer?.digest))?.[1];
  } catch {
    return undefined;
  }
}

/** Lists files and links, breadth first. Links to folders are not followed. */
async function* filesBelow(root: string, signal: AbortSignal): AsyncGenerator<string> {
  let entries = 0;
  let level = [root];
  for (let depth = 0; depth <= maxDepth && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
        if (signal.aborted || ++entries > maxEntries) return;
        const path = join(folder, entry.name);
        if (entry.isDirectory()) next.push(path);
        else if (entry.isFile() || entry.isSymbolicLink()) yield path;
      }
    }
    level = next;
  }
}
