// Types a trace into llama-server with the requests that llama.vscode sends: 256 lines above the cursor, 64 below, the
// line up to the cursor as the prompt, slot 0 kept warm. Two things differ: the answer is streamed, so that the first
// text can be timed; and a key cancels the previous request, whereas llama.vscode waits until that request ends.
import { setTimeout as sleep } from 'node:timers/promises';

const linesAbove = 256;
const linesBelow = 64;

/** The document that is typed into, as an array of lines. */
export class Document {
  constructor(text) {
    this.lines = text.split('\n');
  }

  /** Applies an edit of a trace (lab/tools/trace.ts). Returns the cursor's place after the edit. */
  insert({ line, character, insert, behind: rightOfCursor = 0, deleted = 0 }) {
    const old = this.lines[line];
    const left = `${old.slice(0, character)}${insert.slice(0, insert.length - rightOfCursor)}`;
    const right = `${insert.slice(insert.length - rightOfCursor)}${old.slice(character + deleted)}`;
    this.lines.splice(line, 1, ...`${left}${right}`.split('\n'));
    const above = left.split('\n');
    return { line: line + above.length - 1, character: above.at(-1).length };
  }

  /** The body of the request at this place. extraFields: fields to add or replace. */
  request({ line, character }, maxTokens, extraFields) {
    const text = this.lines[line];
    const left = text.slice(0, character);
    const indent = text.search(/\S|$/);
    return {
      id_slot: 0,
      input_prefix: `${this.lines.slice(Math.max(0, line - linesAbove), line).join('\n')}\n`,
      input_suffix: `${[text.slice(character), ...this.lines.slice(line + 1, line + 1 + linesBelow)].join('\n')}\n`,
      input_extra: [],
      prompt: left.trim() === '' ? '' : left,
      n_predict: maxTokens,
      n_cmpl: 1,
      ...(indent > 0 && { n_indent: indent }),
      top_k: 40,
      top_p: 0.99,
      samplers: ['top_k', 'top_p', 'infill'],
      cache_prompt: true,
      t_max_prompt_ms: 500,
      t_max_predict_ms: 2500,
      stream: true,
      ...extraFields,
    };
  }
}

/**
 * Sends one request and reads its streamed answer. A model with random weights may write no visible character; then
 * firstMs is the time that the server took to read the prompt, which favours llama-server.
 */
async function ask(url, body, signal) {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const answer = { text: '', firstMs: null, evaluated: 0 };
  let promptMs;
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/infill`, { method: 'POST', headers, body: JSON.stringify(body), signal });
    if (!response.ok) throw new Error(`llama-server: ${response.status} ${await response.text()}`);
    let received = '';
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      received += piece;
      const events = received.split('\n\n');
      received = events.pop();
      // Lines that begin with a colon are pings.
      for (const event of events.filter((text) => text.startsWith('data: '))) {
        const { content, timings } = JSON.parse(event.slice(6));
        answer.text += content ?? '';
        if (answer.text.trim() !== '') answer.firstMs ??= elapsed();
        if (!timings) continue;
        answer.evaluated = timings.prompt_n;
        promptMs = timings.prompt_ms;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return { ...answer, isCancelled: true };
  }
  return { ...answer, isCancelled: false, firstMs: answer.firstMs ?? promptMs ?? elapsed(), fullMs: elapsed() };
}

/**
 * mode "wait": each key waits for the previous answer; "live": a key comes at its recorded time and cancels the
 * previous request. start: called before the first key; resolves to the time at which the trace begins.
 */
export async function typeTrace(url, { text, edits }, { mode, maxTokens, extraFields = {}, start = now }) {
  const document = new Document(text);
  const [first] = edits;
  // In an editor, the document has been open for a while, so the server has already read the text around the cursor.
  await ask(url, document.request(first, maxTokens, extraFields), new AbortController().signal);
  const startedAt = await start();
  const answers = [];
  let previous;
  for (const edit of edits) {
    if (mode === 'live') {
      await sleep(Math.max(0, startedAt + edit.t_ms - performance.now()));
      previous?.abort();
    }
    previous = new AbortController();
    const answer = ask(url, document.request(document.insert(edit), maxTokens, extraFields), previous.signal);
    answers.push(answer);
    if (mode === 'wait') await answer;
  }
  return Promise.all(answers);
}

const now = async () => performance.now();
