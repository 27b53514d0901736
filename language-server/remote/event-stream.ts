// Parses the server-sent events of a completion API. Nothing in them is trusted.
export interface Piece {
  text: string;
  /** Natural logarithms, one per token; empty if the server sends none. */
  logProbabilities: number[];
  /** Null until the answer ends. */
  finishReason: 'stop' | 'length' | null;
  usage?: Usage;
}

export interface Usage {
  promptTokens: number;
  completionTokens: number;
  /** Absent if the server does not report them. */
  cachedTokens?: number;
}

// An event with log-probabilities has a few hundred bytes per token.
const maxBytes = 2 ** 20;
const dataName = 'data:';
/** Code never has more on average. The limit exists because the rules take longer for longer texts. */
const maxCharsPerToken = 16;

/**
 * Yields pieces until "[DONE]", but no more text than maxTokens tokens can have. Throws if the answer breaks off or
 * does not have the format: nonsense must not look like a model that writes nothing.
 */
export async function* piecesOf(chunks: AsyncIterable<Uint8Array>, maxTokens: number): AsyncGenerator<Piece> {
  let charsLeft = maxTokens * maxCharsPerToken;
  let textsLeft = maxTokens;
  let hasChoice = false;
  let hasEnded = false;
  for await (const data of dataIn(chunks)) {
    if (data === '[DONE]') {
      if (!hasChoice) throw new Error('the answer has no choice');
      return;
    }
    const { piece, hasChoice: isFromChoice } = pieceOf(parsed(data));
    hasChoice ||= isFromChoice;
    hasEnded ||= piece.finishReason !== null;
    if (piece.text !== '' && textsLeft-- <= 0) piece.text = '';
    if (piece.text.length > charsLeft || textsLeft < 0) {
      yield { ...piece, text: piece.text.slice(0, charsLeft), finishReason: 'length' };
      return;
    }
    charsLeft -= piece.text.length;
    yield piece;
  }
  if (!hasEnded) throw new Error('the answer broke off');
}

/** The data in each line that begins with "data:". */
async function* dataIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let received = 0;
  let line = '';
  for await (const bytes of chunks) {
    received += bytes.length;
    if (received > maxBytes) throw new Error('the answer does not end');
    const [rest = '', ...next] = decoder.decode(bytes, { stream: true }).split('\n');
    line += rest;
    for (const begin of next) {
      if (line.startsWith(dataName)) yield line.slice(dataName.length).trim();
      line = begin;
    }
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new Error('the answer has an event that is not JSON');
  }
}

/** Reads the format of OpenAI's legacy API. llama.cpp's server has log-probabilities in the format of the newer API. */
function pieceOf(event: unknown): { piece: Piece; hasChoice: boolean } {
  if (!isObject(event)) throw new Error('the answer has an event that is no object');
  const { error, choices, usage } = fields(event);
  if (error) throw new Error(String(fields(error).message ?? error));
  const list = choices ?? []; // an event may contain only the usage
  if (!Array.isArray(list) || !list.slice(0, 1).every(isObject))
    throw new Error('the answer has an event whose choices are none');
  const choice = fields(list[0]);
  const { text = '', finish_reason: reason, logprobs } = choice;
  if (typeof text !== 'string') throw new Error('the answer has an event whose text is not a string');
  const piece = {
    text,
    logProbabilities: logProbabilitiesIn(fields(logprobs)),
    // Any other reason, such as a content filter, means that the text was cut off.
    finishReason: typeof reason !== 'string' || reason === '' ? null : reason === 'stop' ? 'stop' : 'length',
    ...(usage ? { usage: usageIn(fields(usage)) } : {}),
  } satisfies Piece;
  return { piece, hasChoice: list.length > 0 };
}

function logProbabilitiesIn({ content, token_logprobs: values }: Fields): number[] {
  const given = Array.isArray(content) ? content.map((each) => fields(each).logprob) : values;
  return Array.isArray(given) ? given.map((value) => Math.min(0, finite(value))) : [];
}

function usageIn({ prompt_tokens, completion_tokens, prompt_tokens_details }: Fields): Usage {
  const { cached_tokens: cached } = fields(prompt_tokens_details);
  return {
    promptTokens: count(prompt_tokens),
    completionTokens: count(completion_tokens),
    ...(cached !== undefined && cached !== null && { cachedTokens: count(cached) }),
  };
}

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {});
const finite = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
const count = (value: unknown): number => Math.max(0, Math.floor(finite(value)));
