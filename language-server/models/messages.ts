// The messages about models: what the editor asks to fill its list. Types and names only; extension/ may import them.

/** Client -> server request. Params: ModelsParams, result: ModelList. */
export const modelsRequest = 'hearth/models';

export interface ModelsParams {
  /** Folder that the extension downloads to. */
  downloadFolder: string;
}

export interface ModelList {
  /** Files on this machine. */
  local: LocalModel[];
  /** Files that can be downloaded and are not on this machine. */
  remote: RemoteModel[];
  /** The model that suits this machine best; absent if none does. */
  recommended?: { id: string; reason: string };
}

export interface ModelFacts {
  /** Unique in the list. */
  id: string;
  /** For people: "Qwen2.5-Coder 1.5B". */
  name: string;
  kind: 'base' | 'instruct';
  /** It fills in the middle; one that does not only explains. */
  completes: boolean;
  quantization: string;
  /** Empty if the file does not say. */
  licence: string;
  /** The licence forbids commercial work. */
  isForResearchOnly: boolean;
  /** Of all parts. */
  fileBytes: number;
  estimate: Estimate;
  /** What the user should know before choosing it: "It only explains: ..."; empty if nothing. */
  note: string;
}

export interface LocalModel extends ModelFacts {
  path: string;
  /** The program whose folder it lies in: "Ollama". */
  owner: string;
}

export interface RemoteModel extends ModelFacts {
  files: RemoteFile[];
}

/** What this machine would make of a model; null where nothing has been measured. */
export interface Estimate {
  tokensPerSecond: number | null;
  /** From a key to the first text, when all but the last line has been read. */
  firstTextMs: number | null;
  /** Weights and KV cache. */
  memoryBytes: number;
}

export interface RemoteFile {
  name: string;
  url: string;
  /** Null: whatever the server says. */
  bytes: number | null;
  /** 64 hexadecimal digits. Null: no trusted digest is known, so only the length and the file's head are checked. */
  sha256: string | null;
}
