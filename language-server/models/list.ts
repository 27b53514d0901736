// The list for "Choose Model": models on this machine and models to download, with an estimate for each, and the one
// that suits the machine best.
import { availableParallelism, freemem, homedir } from 'node:os';
import type { Engine } from '../../native/index.ts';
import type { LocalModel, ModelFacts, ModelList, ModelsParams, RemoteModel } from '../protocol/models.ts';
import * as known from './catalogue.ts';
import { type Contender, estimate, type MachineSpeed, recommend } from './estimate.ts';
import * as file from './file-facts.ts';
import { readGgufHeader } from './gguf-header.ts';
import { type FoundModel, findLocalModels } from './local-models.ts';
import { measureSpeed } from './machine-speed.ts';
import { modelFolders } from './model-folders.ts';
import { noteOf, traitsOf } from './model-traits.ts';

export interface ModelListOptions {
  /** Null if none is loaded; the processor's speed is then unknown. */
  engine: Engine | null;
  /** From the settings; 0 leaves the choice to the engine. */
  threads: number;
  /** The memory for the KV cache. */
  cacheBytes: number;
}

/** The same maximum as in the engine. */
const mostThreads = 8;

export async function listModels({ downloadFolder }: ModelsParams, options: ModelListOptions): Promise<ModelList> {
  const folders = modelFolders({ platform: process.platform, home: homedir(), env: process.env });
  const found = await findLocalModels([{ owner: 'Hearth', layout: 'files', path: downloadFolder }, ...folders]);
  const threads = options.threads || Math.min(mostThreads, availableParallelism());
  const speed = await speedOf(options.engine, threads).catch(() => null);
  // The chosen model will replace the loaded one.
  const freeBytes = freemem() + (options.engine?.info.weightBytes ?? 0);
  return modelList(found, speed, options.cacheBytes, freeBytes);
}

async function speedOf(engine: Engine | null, threads: number): Promise<MachineSpeed> {
  if (!engine) return measureSpeed(null, threads);
  const { path, fileBytes } = engine.info;
  return measureSpeed({ engine, cost: file.costOf(await readGgufHeader(path), fileBytes) }, threads);
}

export function modelList(
  found: FoundModel[],
  speed: MachineSpeed | null,
  cacheBytes: number,
  freeBytes: number,
): ModelList {
  const local = found.filter(({ header }) => file.quantizationOf(header) !== '');
  const names = new Set(local.map(({ knownAs }) => `${knownAs.toLowerCase()}.gguf`));
  const missing = known.catalogue.filter(({ file: { name } }) => !names.has(name.toLowerCase()));
  const localRows = local.map((model) => localModel(model, speed, cacheBytes));
  const remoteRows = missing.map((model) => remoteModel(model, speed, cacheBytes));
  const contenders: Contender[] = [
    ...local.map(({ header, fileBytes }, i) => ({
      facts: localRows[i] as ModelFacts,
      parameters: file.parametersOf(header, fileBytes),
      isHere: true,
    })),
    ...missing.map((model, i) => ({
      facts: remoteRows[i] as ModelFacts,
      parameters: known.parametersOf(model),
      isHere: false,
    })),
  ];
  const recommended = recommend(contenders, freeBytes);
  return { local: localRows, remote: remoteRows, ...(recommended !== undefined && { recommended }) };
}

function localModel(model: FoundModel, speed: MachineSpeed | null, cacheBytes: number): LocalModel {
  const { path, owner, knownAs, header, fileBytes } = model;
  const { kind, fim, note } = traitsOf(header, knownAs);
  const licence = file.licenceOf(header);
  return {
    id: path,
    path,
    owner,
    name: knownAs,
    kind,
    completes: fim !== null,
    quantization: file.quantizationOf(header),
    licence,
    isForResearchOnly: /research|non-?commercial/i.test(licence),
    fileBytes,
    estimate: estimate(file.costOf(header, fileBytes), speed, cacheBytes),
    note,
  };
}

function remoteModel(model: known.CatalogueModel, speed: MachineSpeed | null, cacheBytes: number): RemoteModel {
  const licence = known.licenceOf(model);
  return {
    id: model.file.url,
    file: model.file,
    name: known.nameOf(model),
    kind: model.kind,
    completes: true,
    quantization: model.quantization,
    licence,
    isForResearchOnly: licence === known.researchLicence,
    fileBytes: known.fileBytesOf(model),
    estimate: estimate(known.costOf(model), speed, cacheBytes),
    note: noteOf(model.kind === 'instruct', true, true),
  };
}
