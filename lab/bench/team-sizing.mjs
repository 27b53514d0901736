// How many GPUs a team needs: simulates typing people and a server with H200 GPUs. Only the speed of an H200 with the
// 1.5B model was measured; the rest is assumed.
//   node lab/bench/team-sizing.mjs [--people 500] [--minutes 10] [--gpus 1,2,3,4] [--typing 0.25] [--key-ms 240]
//                 [--step-tokens 1024] [--model 7B|1.5B] [--prompt-rate TOKENS_PER_SECOND] [--token-ms MS]
// Assumptions, each an option or a constant below:
// - People type for a fraction of the time (--typing), with log-normal times between keys (--key-ms on average, see
//   `variation`); in between they read for 20 s on average.
// - A key causes a request unless it agrees with the shown text. The fraction `agreeingShare` of keys agrees, as measured
//   for one person (results/h200.md).
// - A request finds its prompt cached, except the tokens of the new key. The first request after a pause needs a new
//   anchor: 250 tokens in the same document or, every fifth time, 1,500 in another document.
// - A server works in steps. A step reads up to --step-tokens tokens of prompts (as many as in docs/deploy) and writes
//   a token for each running request. `speeds` has its times: a fixed one for the weights, one for each token read, and
//   one for each token written.
// - A request ends once its tokens are written, or when the next key cancels it.
import { main, optionsFrom, ToolError } from '../../scripts/tools.mjs';

const options = optionsFrom({
  people: { type: 'string', default: '500' },
  minutes: { type: 'string', default: '10' },
  gpus: { type: 'string', default: '1,2,3,4' },
  typing: { type: 'string', default: '0.25' },
  'key-ms': { type: 'string', default: '240' },
  'step-tokens': { type: 'string', default: '1024' },
  'prompt-rate': { type: 'string' },
  'token-ms': { type: 'string' },
  model: { type: 'string', default: '7B' },
});

/**
 * The times of a step on an H200, in ms: tokenMs once, promptMs for each prompt token, sequenceMs for each sequence
 * that gets a token. 1.5B: measured with Hearth's own engine (results/h200.md): 1,430 tokens/s for one sequence, and
 * 40,142 tokens/s for prompts of 512 tokens. Further sequences cost little: a step takes 1.27 times as long for two as
 * for one, and 1.36 times as long for four. 7B in 8 bits: not measured, but scaled from the 1.5B figures, tokenMs by
 * the bytes of the weights (7.6 GB to 1.1 GB) and promptMs by their number (7.6 to 1.5 billion). An engine designed for
 * many simultaneous prompts reads them faster.
 */
const speeds = {
  '1.5B': { tokenMs: 0.7, promptMs: 0.025, sequenceMs: 0.06 },
  '7B': { tokenMs: 4.8, promptMs: 0.125, sequenceMs: 0.1 },
};
/**
 * The standard deviation of the times between keys, relative to their mean. Over 168,000 people, the mean is 239 ms
 * with a deviation of 112 (Dhakal et al., CHI 2018); we assume the same variation from key to key.
 */
const variation = 0.47;
const agreeingShare = 0.7;
const keyTokens = 14;
const anchorTokens = 250;
const documentTokens = 1500;
const otherDocumentShare = 0.2;
const answerTokens = 12;
const pauseMs = 20_000;
/** The time that a request and its answer spend in the network and the gateway. */
const networkMs = 15;

let state = 1;
/** Random numbers from 0 to 1, the same in each run. */
function random() {
  state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return state / 2 ** 32;
}

/** The time to the next key, in ms. */
function keyGap() {
  const sigma = Math.sqrt(Math.log(1 + variation ** 2));
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Number(options['key-ms']) * Math.exp(sigma * normal - sigma ** 2 / 2);
}

/** One person's requests: when each comes, how many of its tokens are new, and when the next key comes. */
function* requestsOf(endMs) {
  const typing = Number(options.typing);
  const burstMs = (pauseMs * typing) / (1 - typing);
  let time = random() * pauseMs;
  while (time < endMs) {
    const until = time + burstMs * (0.5 + random());
    let isFirst = true;
    const firstTokens = random() < otherDocumentShare ? documentTokens : anchorTokens;
    while (time < until) {
      const gap = keyGap();
      const isLast = time + gap >= until;
      if (isFirst || random() > agreeingShare)
        yield { at: time, tokens: isFirst ? firstTokens : keyTokens, next: isLast ? time + pauseMs : time + gap };
      isFirst = false;
      time += gap;
    }
    time += pauseMs * (0.5 + random());
  }
}

/** Simulates one server, step by step. Each request gets `first`, the time of its first token. */
function serve(requests, { tokenMs, promptMs, sequenceMs }) {
  const stepTokens = Number(options['step-tokens']);
  let now = 0;
  let next = 0;
  let waiting = [];
  let running = [];
  let busyMs = 0;
  while (next < requests.length || waiting.length + running.length > 0) {
    if (waiting.length + running.length === 0) now = Math.max(now, requests[next].at);
    while (next < requests.length && requests[next].at <= now)
      waiting.push({ ...requests[next], request: requests[next++], left: 0 });
    waiting = waiting.filter((request) => request.next > now);
    running = running.filter((request) => request.next > now && request.left > 0);
    let budget = stepTokens;
    while (waiting.length > 0 && budget > 0) {
      const read = Math.min(budget, waiting[0].tokens);
      budget -= read;
      waiting[0].tokens -= read;
      if (waiting[0].tokens > 0) break;
      running.push({ ...waiting.shift(), left: answerTokens });
    }
    const stepMs = tokenMs + (stepTokens - budget) * promptMs + running.length * sequenceMs;
    if (running.length === 0 && budget === stepTokens) continue;
    now += stepMs;
    busyMs += stepMs;
    for (const each of running) {
      each.request.first ??= now;
      each.left--;
    }
  }
  return busyMs;
}

const percentile = (sorted, fraction) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;

await main(() => {
  const { 'prompt-rate': rate, 'token-ms': tokenMs } = options;
  const known = speeds[options.model];
  const speed = known && {
    ...known,
    ...(rate && { promptMs: 1000 / Number(rate) }),
    ...(tokenMs && { tokenMs: Number(tokenMs) }),
  };
  if (!speed) throw new ToolError(`--model must be one of ${Object.keys(speeds).join(', ')}`);
  if (!(options.typing > 0 && options.typing < 1)) throw new ToolError('--typing must be between 0 and 1');
  const people = Number(options.people);
  const endMs = Number(options.minutes) * 60_000;
  const typists = Array.from({ length: people }, () => [...requestsOf(endMs)]);
  const all = typists.flat();
  const tokens = all.reduce((sum, request) => sum + request.tokens, 0);
  const perMinute = (count) => (count / people / Number(options.minutes)).toFixed(0);
  console.log(
    `${people} people, ${options.model}: a key every ${options['key-ms']} ms while they type; a person and minute:`,
  );
  console.log(
    `${perMinute(all.length)} requests, ${perMinute(tokens)} prompt tokens to read, at most ${perMinute(all.length * answerTokens)} to write\n`,
  );
  console.log(
    '| GPUs | busy | text before the next key | first text p50 | p95 | people a GPU |\n| --: | --: | --: | --: | --: | --: |',
  );
  for (const gpus of options.gpus.split(',').map(Number)) {
    for (const request of all) delete request.first;
    let busyMs = 0;
    for (let gpu = 0; gpu < gpus; gpu++) {
      // Each person always uses the same GPU, as with a load balancer that hashes the user.
      const requests = typists
        .filter((_, i) => i % gpus === gpu)
        .flat()
        .sort((a, b) => a.at - b.at);
      busyMs += serve(requests, speed);
    }
    const times = all
      .filter(({ first }) => first !== undefined)
      .map(({ first, at }) => first - at + networkMs)
      .sort((a, b) => a - b);
    const timely = all.filter(({ first, next }) => first !== undefined && first + networkMs < next).length;
    const cells = [
      gpus,
      `${((100 * busyMs) / endMs / gpus).toFixed(0)} %`,
      `${((100 * timely) / all.length).toFixed(1)} %`,
      `${percentile(times, 0.5).toFixed(0)} ms`,
      `${percentile(times, 0.95).toFixed(0)} ms`,
      (people / gpus).toFixed(0),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
});
