// The request for the list of models.
import { RequestType } from './wire.ts';

/** Client -> server request. */
export const modelsRequest = new RequestType<ModelsParams, ModelList>('hearth/models');

export interface ModelsParams {
  /** The folder that the extension downloads models to. */
  downloadFolder: string;
}

export interface ModelList {
  /** Files on this machine. */
  local: LocalModel[];
  /** Models that can be downloaded and are not on this machine yet. */
  remote: DownloadableModel[];
  /** The id of the model that suits this machine best; absent if there is no base model. */
  recommended?: string;
  /** Whether other programs were busy during all measurements. Models may then be faster than estimated. */
  isBusy?: true;
}

export interface ModelFacts {
  /** Unique in the list. */
  id: string;
  /** The name to show: "Qwen2.5-Coder 1.5B". */
  name: string;
  kind: 'base' | 'instruct';
  /** Whether the model can fill in the middle. */
  completes: boolean;
  explains: boolean;
  /** Whether the model, or an adapter of Hearth's for it, was trained to write next edits. */
  writesEdits: boolean;
  quantization: string;
  /** '' if the file does not contain it. */
  licence: string;
  /** Whether the licence forbids commercial use. */
  isForResearchOnly: boolean;
  /** The size of all parts. */
  fileBytes: number;
  estimate: Estimate;
}

export interface LocalModel extends ModelFacts {
  path: string;
  /** The program whose folder has the file, such as "Ollama". */
  owner: string;
  /** The adapters that the settings name, and whether each can be used with this model. */
  adapters?: ChosenAdapter[];
}

export interface ChosenAdapter {
  /** The name of its file. */
  name: string;
  /** Whether it can be loaded with the model: its file is there and sound, and it was made for this model. */
  fits: boolean;
}

export interface DownloadableModel extends ModelFacts {
  file: RemoteFile;
}

/** How a model would run on this machine. A figure is null if nothing has been measured yet. */
export interface Estimate {
  tokensPerSecond: number | null;
  /** The time from a key to the first text, if the cache has the whole prompt except its last line. */
  firstTextMs: number | null;
  /** Weights and KV cache. */
  memoryBytes: number;
}

/** A file of fewer or more bytes is refused; both numbers are equal if the exact length is known. */
export interface RemoteFile {
  name: string;
  url: string;
  minBytes: number;
  maxBytes: number;
  /** 64 hexadecimal digits. Null if no trusted digest is known: the user is told so before the download. */
  sha256: string | null;
}
