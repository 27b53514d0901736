// The plan with the questions to both engines, and llama.cpp's answers (llama-cpp.mjs).
export interface Run {
  name: string;
  tokens: number[];
  /** The first position whose next token is requested. */
  from: number;
  wholeRows: boolean;
}

export interface Plan {
  model: string;
  threads: number;
  texts: string[];
  /** The conversation for the file's chat template; null: no template is compared. */
  conversation: { role: string; content: string }[] | null;
  runs: Run[];
}

/** Token and logit of the likeliest token, then of the second likeliest. */
export type BestTwo = [[number, number], [number, number]];

export interface Theirs {
  /** One entry per text. */
  ids: number[][];
  /** The conversation in the file's template, as text and as tokens; null if the file has no template. */
  rendered: string | null;
  chat: number[] | null;
  /** One entry per run, beginning at its first position. */
  best: BestTwo[][];
}
