// Two llama.cpp servers run behind a balancer, and people type in turns. Measures how many prompt tokens the replicas
// find in their caches. Each slot of a server keeps one prompt, just as a GPU's cache keeps the prompts of the people
// who type.
import { createHash } from 'node:crypto';
import { startLiteLlm, startLlamaCpp, startNginx, startRouter, stop, token } from './servers.mjs';

/**
 * The number of people is odd: with an even one, taking replicas in turns would give each person always the same
 * replica.
 */
const people = 7;
const keys = 6;
/** A single server has one slot too few for all people. */
const slots = people - 1;
const size = { slots, contextTokens: 1024 * slots };

/** Looks as random as Hearth's user ids, but is the same in each run. */
const idOf = (person) => createHash('sha256').update(`person ${person}`).digest('hex').slice(0, 32);

/** About 300 tokens that only this person has. */
const documentOf = (person) =>
  Array.from({ length: 14 }, (_, i) => `def part_${person}_${i}(x):\n    return x * ${person * 7919 + i}\n`).join('');

/** One person's next key as Hearth requests it: the prompt only grows. Resolves to the usage. */
async function ask({ url, model }, person, key) {
  const prompt = `${documentOf(person)}total = part_${person}_1(`.concat('value'.slice(0, key % 6), ' + 1'.repeat(key));
  const response = await fetch(`${url}/v1/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-user-id': idOf(person),
    },
    body: JSON.stringify({ model, prompt, max_tokens: 1, temperature: 0, user: idOf(person) }),
  });
  const { usage, error } = await response.json();
  if (!usage) throw new Error(`${response.status} ${JSON.stringify(error)}`);
  return { prompt: usage.prompt_tokens, cached: usage.prompt_tokens_details?.cached_tokens ?? 0 };
}

/** How many prompt tokens a replica has read so far, according to its own metrics. */
async function tokensReadBy({ url }) {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  return Number(/^llamacpp:prompt_tokens_total (\d+)/m.exec(await response.text())?.[1] ?? Number.NaN);
}

async function measure(front, replicas) {
  const before = await Promise.all(replicas.map(tokensReadBy));
  let prompt = 0;
  let cached = 0;
  for (let key = 0; key < keys; key++)
    for (let person = 0; person < people; person++) {
      const usage = await ask(front, person, key);
      // Each person's first request is cold everywhere.
      if (key === 0) continue;
      prompt += usage.prompt;
      cached += usage.cached;
    }
  const after = await Promise.all(replicas.map(tokensReadBy));
  const read = after.map((tokens, i) => tokens - before[i]);
  return { share: cached / prompt, read };
}

const fronts = [
  ['nginx, in turns', (replicas) => startNginx(replicas, { name: 'nginx-in-turns' })],
  ['nginx, by X-User-Id', (replicas) => startNginx(replicas, { name: 'nginx-by-user', hash: '$http_x_user_id' })],
  ['LiteLLM, simple-shuffle', (replicas) => startLiteLlm(replicas, 'LiteLLM-two')],
  ['vllm-router, round_robin', (replicas) => startRouter(replicas, 'round_robin')],
  ['vllm-router, consistent_hash', (replicas) => startRouter(replicas, 'consistent_hash')],
  ['vllm-router, cache_aware', (replicas) => startRouter(replicas, 'cache_aware')],
];

/** Each balancer gets new replicas, so that none finds prompts of an earlier run in its cache. */
export async function measureReplicas(only = '') {
  console.log('| balancer | prompt tokens found in a cache | tokens read by each replica |\n| --- | --: | --- |');
  for (const [name, start] of fronts.filter(([name]) => name.includes(only))) {
    const replicas = [];
    for (const each of ['a', 'b']) replicas.push(await startLlamaCpp(`llama.cpp-${each}`, size));
    const front = await start(replicas).catch((error) => ({ error }));
    if (front.error) console.log(`| ${name} | ${front.error.message} | |`);
    else {
      const { share, read } = await measure(
        { ...front, model: front.model.split('=')[0] || 'qwen2.5-coder-starter' },
        replicas,
      );
      console.log(`| ${name} | ${(share * 100).toFixed(1)} % | ${read.join(', ')} |`);
    }
    for (const { group } of [...replicas, front]) if (group) stop(group);
  }
}
