// The custom messages and the settings that client and server share.
import type { Range } from 'vscode-languageserver';
import type { EngineStatus, FinishReason, ModelInfo, Timings } from '../../native/index.ts';
import type { Reason } from './reasons.ts';
import { NotificationType, RequestType } from './wire.ts';

/** When suggestions are made: while the user types, only on request, or never. */
export type Mode = 'automatic' | 'manual' | 'off';

/** The settings under "hearth." in package.json, which has their defaults and limits. A test compares the two lists. */
export interface Settings {
  /** The mode for requests that do not contain one. */
  mode: Mode;
  /** The path of a GGUF file; '' for the starter model. */
  'model.path': string;
  /** The path of a LoRA adapter for that model; '' for none. */
  'model.adapter': string;
  /** The path of a LoRA adapter that was trained on next edits; '' for Hearth's own, 'off' for none. */
  'model.editAdapter': string;
  /** The path of a separate GGUF file for explanations; '' if the model for completion explains, too. */
  'explain.model': string;
  /** 'auto': an AMD or NVIDIA GPU if one can run the model, otherwise the CPU. */
  backend: 'auto' | 'cpu' | 'hip' | 'cuda' | 'webgpu' | 'webgpu-if-faster';
  /** Part of the name of the GPU to use; '' for the best one. */
  gpu: string;
  /** 0: one thread per core, at most 8. */
  'engine.threads': number;
  /** The address of a team's server, which must have OpenAI's completion API; '' to use the model on this machine. */
  'server.url': string;
  /** The name of the model on that server. */
  'server.model': string;
  /** Minutes without a request after which the model is unloaded; 0: never. */
  'engine.unloadAfterMinutes': number;
  /** Memory for the KV cache in MiB; 0: a tenth of the RAM, at most 1 GiB. */
  'cache.memoryMiB': number;
  /** Disk space for the KV cache in MiB, so that it survives a restart; 0: nothing is written. */
  'cache.diskMiB': number;
  'completion.maxTokens': number;
  'completion.multiline': 'auto' | 'always' | 'never';
  /** How likely a text must be before it is shown. */
  'completion.confidence': 'eager' | 'balanced' | 'calm';
  /** How likely a next edit must be before it is offered. 'off': edits are neither remembered nor searched for. */
  nextEdit: 'off' | 'calm' | 'balanced' | 'eager';
}

/** The means to reach a team's server, apart from its address. */
export interface Connecting {
  /**
   * The token for the team's server; see Credential. The editor keeps it in its secret storage, not in the settings.
   */
  serverToken?: string;
  network?: NetworkSettings;
}

/** The editor's own settings for the network. Environment variables replace missing ones. */
export interface NetworkSettings {
  /** The address of a proxy. */
  proxy?: string;
  /** Hosts that are reached without the proxy. */
  noProxy?: string[];
  /** Whether certificates must be valid. Default: true. */
  strictTls?: boolean;
}

/** The settings as the user wrote them; the server validates them. */
export interface SettingsParams extends Partial<Settings>, Connecting {}

/** The content of LSP's initializationOptions. */
export interface InitializationOptions {
  settings: SettingsParams;
  /** The absolute path of the starter model. */
  bundledModel: string;
  /** The absolute path of a folder for the server's files. If absent, it writes none. */
  storageFolder?: string;
  /** The client sends a new request after a grownNotification, so answers may contain an unfinished text. */
  asksAgain?: boolean;
  /** The client sends inline completion requests on its own, so the server does not announce the capability. */
  hasOwnProvider?: boolean;
  /** Use the CPU only, because the server has crashed repeatedly on the GPU. */
  avoidsGpu?: boolean;
  /**
   * Safe mode, after repeated crashes of the server: the CPU, no draft model, none of Hearth's own adapters, no disk
   * cache.
   */
  isSafeMode?: boolean;
  /** The client wants an aliveNotification every second, so that it notices a server that hangs. */
  wantsSignsOfLife?: boolean;
  /** The client sends settingsNotification, so the server does not ask for its configuration. */
  hasOwnSettings?: boolean;
  /** The client answers relatedRequest: it finds definitions and says which files may be used. */
  sharesCode?: boolean;
  /**
   * For editors without sharesCode: prompts may contain code from all documents that are open in the workspace folders.
   */
  sharesOpenDocuments?: boolean;
}

/** The extension adds this to the parameters of textDocument/inlineCompletion. */
export interface CompletionExtras {
  /** The mode of the document. */
  mode?: Mode;
}

/** The server adds this to the result of textDocument/inlineCompletion. */
export interface CompletionOutcome {
  reason: Reason;
  latencyMs: number;
  timings: Timings;
}

/** The timings of an answer for which the engine did nothing. */
export const noTimings: Timings = {
  promptTokens: 0,
  cachedTokens: 0,
  prefillMs: 0,
  completionTokens: 0,
  decodeMs: 0,
  ttftMs: 0,
  decodePasses: 0,
};

/** Server -> client, whenever the status changes and after every answer. */
export const statusNotification = new NotificationType<ServerStatus>('hearth/status');
export interface ServerStatus {
  /** 'unloaded': no request came for a while, so the model was unloaded. The next request loads it again. */
  health: 'starting' | 'loading' | 'ready' | 'unloaded' | 'off' | 'error';
  /** 0..1 while loading. */
  progress?: number;
  /** A message for the user: the error and what to do. */
  message?: string;
  /** The cause of the error. It decides which fix the client offers. */
  problem?: 'model' | 'engine' | 'server';
  /** A sentence for each setting that had to be ignored. */
  settingProblems?: string[];
  model?: ModelInfo;
  /** Whether the model is the one that comes with Hearth. */
  isStarter?: true;
  /** Whether the model can only explain, since it was not trained to fill in the middle. */
  onlyExplains?: boolean;
  /** The separate model for explanations, while it is loaded. */
  explainModel?: ModelInfo;
  /** Averages over the last answers. */
  decodeTokensPerSecond?: number;
  prefillTokensPerSecond?: number;
  /** The figures of the last answer, and the name of the model that wrote it. */
  last?: Timings & { latencyMs: number; model: string };
  engine?: EngineStatus;
}

/** Client -> server: settings have changed. */
export const settingsNotification = new NotificationType<SettingsParams>('hearth/settings');

/**
 * Client -> server: the cursor rests here, in a document just opened or after a move. The server evaluates the prompt
 * for this place ahead of a request, and sends a status when that is done or aborted.
 */
export const cursorNotification = new NotificationType<CursorParams>('hearth/cursor');
export interface CursorParams extends CompletionExtras {
  uri: string;
  position: { line: number; character: number };
}

/** Client -> server: the cursor has moved away from the ghost text, or the user has dismissed it. */
export const leaveNotification = new NotificationType<LeaveParams>('hearth/leave');
export interface LeaveParams {
  uri: string;
  dismissed?: VersionedPosition;
}

/** Server -> client: the suggested text at this place has grown. A new request returns the text so far. */
export const grownNotification = new NotificationType<GrownParams>('hearth/grown');
export interface GrownParams {
  uri: string;
  version: number;
  position: { line: number; character: number };
}
export type VersionedPosition = Omit<GrownParams, 'uri'>;

/** Client -> server request. The answer to the last turn streams as explainChunkNotifications with the same id. */
export const explainRequest = new RequestType<ExplainParams, ExplainResult>('hearth/explain');
export interface ExplainParams {
  id: number;
  uri: string;
  /** The selected code. */
  text: string;
  /** Its range in the document, so that the function around it can be read. */
  range?: Range;
  languageId: string;
  /** The conversation about the selection, oldest turn first; never empty. */
  turns: ExplainTurn[];
  /** How many times the last turn was tried before. The first attempt is greedy; later ones sample. */
  attempt: number;
}
export interface ExplainTurn {
  /** Absent in the first turn, which asks for the explanation. */
  question?: string;
  /** The answer. In the last turn: the beginning that the model must continue, or ''. */
  answer: string;
}
export interface ExplainResult {
  /** The answer without the given beginning. */
  text: string;
  finishReason: FinishReason;
  timings: Timings;
  /** How many lines of the selection were used, if it did not fit into the context. */
  linesRead?: number;
}
export const explainChunkNotification = new NotificationType<ExplainChunk>('hearth/explainChunk');
export interface ExplainChunk {
  id: number;
  text: string;
}

/** Client -> server request without params. Result: the doctor's report as plain text. */
export const doctorRequest = new RequestType<object, string>('hearth/doctor');

/** Client -> server: end the process. The windows that share it reconnect, and one of them starts a new server. */
export const quitNotification = new NotificationType('hearth/quit');

/** Server -> client, every second if the client wants it: the server is alive. */
export const aliveNotification = new NotificationType('hearth/alive');

/** Server -> client: the process is about to end, and not because of a crash. */
export const farewellNotification = new NotificationType('hearth/farewell');

/**
 * Server -> client request: asks for the definitions of names, and for the documents that may be used as context. The
 * server waits at most 300 ms. In an untrusted workspace, the answer is empty.
 */
export const relatedRequest = new RequestType<RelatedParams, RelatedResult>('hearth/related');
export interface RelatedParams {
  uri: string;
  /** The positions of names in this document whose definitions are wanted. */
  positions: { line: number; character: number }[];
  /** Open documents that the server would like to use as context. */
  documents: string[];
}
export interface RelatedResult {
  defined: DefinedIn[];
  /** Those of `documents` that may be used: neither excluded by the user nor ignored by git. */
  shared: string[];
}
/** A file of the workspace in which some of the names are defined. It is neither excluded nor ignored. */
export interface DefinedIn {
  uri: string;
  /** The text of the whole file, so that the server can search it for secrets. */
  text: string;
  lines: { start: number; end: number }[];
}

/**
 * Client -> server: files of the workspace that are not open. They come a few at a time after the client has connected,
 * and when they change. Excluded and ignored files are not sent; in an untrusted workspace, no file is.
 */
export const closedFilesNotification = new NotificationType<ClosedFilesParams>('hearth/closedFiles');
export interface ClosedFilesParams {
  /** Whether the server must first forget all earlier files. */
  isAnew: boolean;
  files: ClosedFile[];
}
export interface ClosedFile {
  uri: string;
  /** Null if the file or folder no longer exists or is no longer shared. */
  text: string | null;
}
