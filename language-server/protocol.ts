// Custom messages and settings: what the client and the server have to agree on. Names and types only.
import type { EngineStatus, FinishReason, ModelInfo, Timings } from '../native/index.ts';
import type { GhostCompletion } from './completion/complete.ts';

/** When text is offered: while typing, only when the user asks for it, or never. */
export type Mode = 'automatic' | 'manual' | 'off';

/** The settings under "hearth." in package.json, which has their defaults, limits and words; a test compares. */
export interface Settings {
  /** An editor that knows better about a document says so in the request. */
  mode: Mode;
  /** Path of a GGUF file; empty: the bundled starter model. */
  'model.path': string;
  /** Path of a GGUF file that only explains; empty: the model for completion does. */
  'explain.model': string;
  /** Path of a smaller GGUF file of the same family that guesses what the model writes; empty: none. */
  'draftModel.path': string;
  /** 'auto': a GPU if one can, else the CPU. */
  backend: 'auto' | 'cpu' | 'hip' | 'cuda';
  /** A part of the name of the GPU to use; empty: the best. */
  gpu: string;
  /** 0: one thread a core, at most 8. */
  'engine.threads': number;
  /** A team's server that speaks OpenAI's completion protocol; empty: the model on this machine answers. */
  'server.url': string;
  /** What the server calls its model. */
  'server.model': string;
  /** Minutes without a request after which the model leaves the memory; 0: never. */
  'engine.unloadAfterMinutes': number;
  /** Memory for the KV cache in MiB; 0: min(1 GiB, 10 % of RAM). */
  'cache.memoryMiB': number;
  /** What the KV cache holds; int8 takes half the memory, at a small loss. A GPU always uses f16. */
  'cache.type': 'f16' | 'int8';
  /** Disk for what the engine has read, so that it is warm after a restart, in MiB; 0: nothing is written. */
  'cache.diskMiB': number;
  'completion.maxTokens': number;
  'completion.multiline': 'auto' | 'always' | 'never';
  /** How sure the model must be of what is shown. */
  'completion.confidence': 'eager' | 'balanced' | 'calm';
}

/** As the user wrote them: the server checks them. */
export interface SettingsParams extends Partial<Settings> {
  /** For the team's server. Kept by the editor: settings are no place for secrets. */
  serverToken?: string;
}

/** What LSP's initializationOptions carry. */
export interface InitializationOptions {
  settings: SettingsParams;
  /** Absolute path of the bundled model. */
  bundledModel: string;
  /** Folder for files of our own; absent: none are written. */
  storageFolder?: string;
  /** Answers may be early: the client asks again when it gets a grownNotification. */
  asksAgain?: boolean;
  /** The client sends inline completion requests by itself: the capability is not announced. */
  hasOwnProvider?: boolean;
  /** The GPU was in use when the server died, more than once: the model stays on the CPU. */
  avoidsGpu?: boolean;
  /** Safe mode, after repeated crashes of the server: the CPU, no draft model, no disk cache. */
  isSafeMode?: boolean;
  /** The client answers relatedRequest. Without that no code of other files enters a prompt. */
  sharesCode?: boolean;
}

/** Why a request was answered as it was. */
export type Reason =
  | 'shown'
  | 'typed-along'
  | 'still-growing'
  | 'off'
  | 'manual'
  | 'secrets-file'
  | 'dismissed'
  | 'superseded'
  | 'still-loading'
  | 'no-model'
  | 'failed'
  // These come from the client itself.
  | 'excluded'
  | 'snoozed'
  | 'on-battery'
  | 'no-server'
  | NonNullable<GhostCompletion['reason']>;

/** What our own client adds to the parameters of textDocument/inlineCompletion… */
export interface CompletionExtras {
  /** The mode of this document. */
  mode?: Mode;
}

/** …and the server to the result. */
export interface CompletionOutcome {
  reason: Reason;
  latencyMs: number;
  timings: Timings;
}

/** Server -> client, on every change of state and after every answer. */
export const statusNotification = 'hearth/status';
export interface ServerStatus {
  /** 'unloaded': the model was unloaded because nobody asked for anything; the next request loads it again. */
  health: 'starting' | 'loading' | 'ready' | 'unloaded' | 'off' | 'error';
  /** 0..1 while loading. */
  progress?: number;
  /** For people: the error and what to do. */
  message?: string;
  /** What the error is about, and so what may fix it. */
  problem?: 'model' | 'engine' | 'server';
  /** Settings that had to be ignored, a sentence for each. */
  settingProblems?: string[];
  model?: ModelInfo;
  /** It was not trained to fill in the middle. */
  onlyExplains?: boolean;
  /** The model for explanations, while it is loaded beside that one. */
  explainModel?: ModelInfo;
  /** Rolling, over the last answers. */
  decodeTokensPerSecond?: number;
  prefillTokensPerSecond?: number;
  /** Of the last answer. */
  last?: Timings & { latencyMs: number };
  engine?: EngineStatus;
}

/** Client -> server: settings changed. Params: SettingsParams. */
export const settingsNotification = 'hearth/settings';

/**
 * Client -> server: the cursor has come to rest here, in a document just opened or after a move. What a completion at
 * this place needs is read before it is asked for. A status follows when that is done or given up.
 */
export const cursorNotification = 'hearth/cursor';
export interface CursorParams extends CompletionExtras {
  uri: string;
  position: { line: number; character: number };
}

/** Client -> server: the cursor has left the place of its ghost text, or the user has dismissed the text there. */
export const leaveNotification = 'hearth/leave';
export interface LeaveParams {
  uri: string;
  dismissed?: VersionedPosition;
}

/** Server -> client: the text last offered at this place has grown; asking again brings all of it so far. */
export const grownNotification = 'hearth/grown';
export interface GrownParams {
  uri: string;
  version: number;
  position: { line: number; character: number };
}
export type VersionedPosition = Omit<GrownParams, 'uri'>;

/** Client -> server request. The answer to the last turn streams as explainChunk notifications with the same id. */
export const explainRequest = 'hearth/explain';
export interface ExplainParams {
  id: number;
  uri: string;
  /** The selected code. */
  text: string;
  languageId: string;
  /** The conversation about the selection, oldest turn first; never empty. */
  turns: ExplainTurn[];
  /**
   * How often the last turn has been tried before. The first attempt takes the likeliest words, later ones draw them.
   */
  attempt: number;
}
export interface ExplainTurn {
  /** Absent in the turn that asks for the explanation itself. */
  question?: string;
  /** In the last turn: the beginning of the answer, which is to be continued, or ''. */
  answer: string;
}
export interface ExplainResult {
  /** Without the beginning that was given. */
  text: string;
  finishReason: FinishReason;
  timings: Timings;
  /** How many lines of a selection were read that did not fit into the context; absent: it did. */
  linesRead?: number;
}
export const explainChunkNotification = 'hearth/explainChunk';
export interface ExplainChunk {
  id: number;
  text: string;
}

/** Client -> server request without params. Result: a string, the doctor's report as lines of plain text. */
export const doctorRequest = 'hearth/doctor';

/** Client -> server: end the process, which other windows may share. They connect again, and one starts the next. */
export const quitNotification = 'hearth/quit';

/** Server -> client, before the process ends on purpose: no crash. */
export const farewellNotification = 'hearth/farewell';

/**
 * Server -> client request: what the editor knows of code that belongs to a place. The server waits only for a moment.
 * In a workspace that is not trusted the client answers with nothing.
 */
export const relatedRequest = 'hearth/related';
export interface RelatedParams {
  uri: string;
  /** Of names in this document whose definitions are wanted. */
  positions: { line: number; character: number }[];
  /** Open documents that the server would take code from. */
  documents: string[];
}
export interface RelatedResult {
  defined: DefinedIn[];
  /** Those of the documents that the user has not excluded or had git ignore. */
  shared: string[];
}
/** A file of the workspace, not excluded and not ignored, in which some of the names are defined. */
export interface DefinedIn {
  uri: string;
  /** The whole file, so that the server can look for secrets. */
  text: string;
  lines: { start: number; end: number }[];
}
