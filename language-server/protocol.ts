// Custom messages and settings: the only file of this room that extension/ may import. Types and names, no code
// but the message types.
import type { EngineStatus, FinishReason, ModelInfo, Timings } from '../native/index.ts';

/** Settings under "hearth." in package.json; a test compares keys and defaults. */
export interface Settings {
  enabled: boolean;
  /** VS Code language ids in which no completion is offered. */
  disabledLanguages: string[];
  /** Path of a GGUF file; empty: the bundled starter model. */
  'model.path': string;
  /** Path of a smaller GGUF file of the same family that guesses what the model writes; empty: none. */
  'draftModel.path': string;
  /** 'auto': the GPU if it can, else the CPU. */
  backend: 'auto' | 'cpu' | 'hip';
  /** 0: one thread a core, at most 8. */
  'engine.threads': number;
  /** Memory for the KV cache in MiB; 0: min(1 GiB, 10 % of RAM). */
  'cache.memoryMiB': number;
  /** What the KV cache holds; int8 takes half the memory, at a small loss. A GPU has f16 whatever is set. */
  'cache.type': 'f16' | 'int8';
  /** Disk for what the engine has read, so that it is warm after a restart, in MiB; 0: nothing is written. */
  'cache.diskMiB': number;
  'completion.maxTokens': number;
  'completion.multiline': 'auto' | 'always' | 'never';
}

export const defaultSettings: Settings = {
  enabled: true,
  disabledLanguages: [],
  'model.path': '',
  'draftModel.path': '',
  backend: 'auto',
  'engine.threads': 0,
  'cache.memoryMiB': 0,
  'cache.type': 'f16',
  'cache.diskMiB': 0,
  'completion.maxTokens': 64,
  'completion.multiline': 'auto',
};

/** What LSP's initializationOptions carry. */
export interface InitializationOptions {
  settings: Settings;
  /** Absolute path of the bundled model. */
  bundledModel: string;
  /** Folder for files of our own; absent: none are written. */
  storageFolder?: string;
  /** Answers may be early: the client asks again when it gets a grownNotification. */
  asksAgain?: boolean;
}

/** Server -> client, on every change of state and after every answer. */
export const statusNotification = 'hearth/status';
export interface ServerStatus {
  health: 'starting' | 'loading' | 'ready' | 'off' | 'error';
  /** 0..1 while loading. */
  progress?: number;
  /** For people: the error and what to do. */
  message?: string;
  model?: ModelInfo;
  /** Rolling, over the last answers. */
  decodeTokensPerSecond?: number;
  prefillTokensPerSecond?: number;
  /** Of the last answer. */
  last?: Timings & { latencyMs: number };
  engine?: EngineStatus;
}

/** Client -> server: settings changed. Params: Settings. */
export const settingsNotification = 'hearth/settings';

/**
 * Client -> server: the cursor has come to rest here, in a document just opened or after a move. What a completion at
 * this place needs is read before it is asked for. A status follows when that is done or given up.
 */
export const cursorNotification = 'hearth/cursor';
export interface CursorParams {
  uri: string;
  position: { line: number; character: number };
}

/** Server -> client: the text last offered at this place has been written further; asking again brings the whole. */
export const grownNotification = 'hearth/grown';
export interface GrownParams extends CursorParams {
  version: number;
}

/** Client -> server request. The answer streams as explainChunk notifications with the same id. */
export const explainRequest = 'hearth/explain';
export interface ExplainParams {
  id: number;
  text: string;
  languageId: string;
}
export interface ExplainResult {
  text: string;
  finishReason: FinishReason;
  timings: Timings;
}
export const explainChunkNotification = 'hearth/explainChunk';
export interface ExplainChunk {
  id: number;
  text: string;
}

/** Client -> server request without params. Result: a string, the doctor's report as lines of plain text. */
export const doctorRequest = 'hearth/doctor';
