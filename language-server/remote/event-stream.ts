// Parses the server-sent events of a completion API.

export interface Piece {
  text: string;
  /** Natural logarithms, one per token; empty if the server sends none. */
  logProbabilities: number[];
  /** Null until the answer ends. */
  finishReason: 'stop' | 'length' | null;
  usage?: { promptTokens: number; completionTokens: number; cachedTokens: number };
}

// A completion has a few hundred tokens. This limit keeps a broken or hostile server from filling the memory.
const maxAnswerBytes = 4 * 2 ** 20;
const maxMessageChars = 300;

/** Yields the objects of "data:" lines until "[DONE]" or the end of the stream. */
export async function* eventsOf(body: Response['body'], onBytes: () => void): AsyncGenerator<Event> {
  const decoder = new TextDecoder();
  let rest = '';
  let received = 0;
  for await (const bytes of body ?? []) {
    onBytes();
    received += bytes.length;
    if (received > maxAnswerBytes) throw new Error('the answer does not end');
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data:')) continue;
      const data = line.slice('data:'.length).trim();
      if (data === '[DONE]') return;
      yield JSON.parse(data) as Event;
    }
  }
}

/** The format of OpenAI's legacy API. llama.cpp's server sends log-probabilities in the format of the newer one. */
interface Event {
  error?: { message?: string };
  choices?: {
    text?: string;
    finish_reason?: string | null;
    logprobs?: { token_logprobs?: (number | null)[]; content?: { logprob: number }[] } | null;
  }[];
  usage?: {
    prompt_tokens?: number;
    completion_tokens?: number;
    prompt_tokens_details?: { cached_tokens?: number } | null;
  } | null;
}

export function pieceOf({ error, choices, usage }: Event): Piece {
  if (error) throw new Error(sentence(error.message ?? 'the server reports an error'));
  const choice = choices?.[0];
  const given = choice?.logprobs?.content?.map(({ logprob }) => logprob) ?? choice?.logprobs?.token_logprobs ?? [];
  return {
    text: choice?.text ?? '',
    logProbabilities: given.map((value) => value ?? 0),
    finishReason: choice?.finish_reason ? (choice.finish_reason === 'length' ? 'length' : 'stop') : null,
    ...(usage && {
      usage: {
        promptTokens: usage.prompt_tokens ?? 0,
        completionTokens: usage.completion_tokens ?? 0,
        cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
      },
    }),
  };
}

/** Shortens a server's error message to one line of reasonable length, for the log and the status. */
function sentence(message: unknown): string {
  return String(message)
    .slice(0, maxMessageChars)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ');
}
