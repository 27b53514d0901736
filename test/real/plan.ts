// The plan, that is the questions to both engines, and llama.cpp's answers (llama-cpp.mjs).
export interface Run {
  name: string;
  tokens: number[];
  /** The first position whose next token is asked for. */
  from: number;
  wholeRows: boolean;
}

export interface Plan {
  model: string;
  threads: number;
  texts: string[];
  /** To be put into the file's chat template; null: no template is compared. */
  conversation: { role: string; content: string }[] | null;
  runs: Run[];
}

/** Token and logit of the likeliest token, then of the second. */
export type BestTwo = [[number, number], [number, number]];

export interface Theirs {
  /** Of each text. */
  ids: number[][];
  /** The conversation in the file's template, as text and as tokens; null: the file has none. */
  rendered: string | null;
  chat: number[] | null;
  /** Of each run, from its first position on. */
  best: BestTwo[][];
}
