// Makes the list for "Choose Model": the models on this machine and those to download, with estimates of their speed,
// and the model that suits the machine best.
import { basename } from 'node:path';
import { checkAdapter, describeModel, type Engine } from '../../native/index.ts';
import type { ChosenAdapter, DownloadableModel, LocalModel, ModelList, ModelsParams } from '../protocol/models.ts';
import { homeFolder } from '../protocol/system.ts';
import * as known from './catalogue.ts';
import { estimate, freeMemoryBytes, type MachineSpeed, recommend } from './estimate.ts';
import { type FoundModel, findLocalModels } from './local-models.ts';
import { bestSpeed, type MeasuredSpeed } from './measured-speed.ts';
import { modelFolders } from './model-folders.ts';
import { ownAdaptersOf, traitsOf } from './model-traits.ts';

export interface ModelListOptions {
  /** The engine to measure this machine with; null if no model is loaded: then speeds are not estimated. */
  engine: Engine | null;
  /** The memory for the KV cache. */
  cacheBytes: number;
  /** The folder with the server's files, such as the measured speeds; '' if there is none. */
  storageFolder: string;
  /** The paths of the adapters to load with the chosen model. */
  adapters: string[];
}

export async function listModels({ downloadFolder }: ModelsParams, options: ModelListOptions): Promise<ModelList> {
  const folders = modelFolders({ platform: process.platform, home: homeFolder(), env: process.env });
  const { engine, cacheBytes, storageFolder, adapters } = options;
  const [found, speed] = await Promise.all([
    findLocalModels([{ owner: 'Hearth', layout: 'files', path: downloadFolder }, ...folders]),
    engine && speedOf(engine, storageFolder).catch(() => null),
  ]);
  // The chosen model will replace the loaded one.
  const freeBytes = freeMemoryBytes() + (engine?.info.weightBytes ?? 0);
  const list = modelList(found, speed, cacheBytes, freeBytes);
  if (adapters.length > 0) list.local = await Promise.all(list.local.map((model) => withAdapters(model, adapters)));
  return { ...list, ...(speed?.isBusy && { isBusy: true }) };
}

async function withAdapters(model: LocalModel, paths: string[]): Promise<LocalModel> {
  const adapters = paths.map(async (path): Promise<ChosenAdapter> => {
    const fits = await checkAdapter(model.path, path).then(
      () => true,
      () => false,
    );
    return { name: basename(path), fits };
  });
  return { ...model, adapters: await Promise.all(adapters) };
}

async function speedOf(engine: Engine, storageFolder: string): Promise<MeasuredSpeed | null> {
  return bestSpeed(engine, await describeModel(engine.info.path), storageFolder);
}

export function modelList(
  found: FoundModel[],
  speed: MachineSpeed | null,
  cacheBytes: number,
  freeBytes: number,
): ModelList {
  const names = new Set(found.map(({ knownAs }) => `${knownAs.toLowerCase()}.gguf`));
  const missing = known.catalogue.filter(({ file: { name } }) => !names.has(name.toLowerCase()));
  const local = found.map((model) => ({
    facts: localModel(model, speed, cacheBytes),
    parameters: model.description.parameters,
    isHere: true,
  }));
  const remote = missing.map((model) => ({
    facts: remoteModel(model, speed, cacheBytes),
    parameters: known.parametersOf(model),
    isHere: false,
  }));
  const recommended = recommend([...local, ...remote], freeBytes);
  return {
    local: local.map(({ facts }) => facts),
    remote: remote.map(({ facts }) => facts),
    ...(recommended !== undefined && { recommended }),
  };
}

function localModel(model: FoundModel, speed: MachineSpeed | null, cacheBytes: number): LocalModel {
  const { path, owner, knownAs, description } = model;
  const { kind, fim, chatTemplate, editFormat } = traitsOf(description, knownAs);
  const { metadata, quantization, fileBytes } = description;
  // If a file's licence is "other", its name is separate: that of the 3B model is "qwen-research".
  const licence = metadata['general.license.name'] ?? metadata['general.license'] ?? '';
  return {
    id: path,
    path,
    owner,
    name: knownAs,
    kind,
    completes: fim !== null,
    explains: chatTemplate !== null,
    writesEdits: editFormat !== null || ownAdaptersOf(metadata) !== null,
    quantization,
    licence,
    isForResearchOnly: /research|non-?(commercial|production)|\b(nc|mnpl)\b/i.test(licence),
    fileBytes,
    estimate: estimate(description, speed, cacheBytes),
  };
}

function remoteModel(model: known.CatalogueModel, speed: MachineSpeed | null, cacheBytes: number): DownloadableModel {
  const licence = known.licenceOf(model);
  return {
    id: model.file.url,
    file: model.file,
    name: known.nameOf(model),
    kind: model.kind,
    completes: true,
    explains: model.kind === 'instruct',
    writesEdits: ownAdaptersOf({ 'general.name': known.nameOf(model) }) !== null,
    quantization: model.quantization,
    licence,
    isForResearchOnly: licence === known.researchLicence,
    fileBytes: known.fileBytesOf(model),
    estimate: estimate(known.costOf(model), speed, cacheBytes),
  };
}
