// Twenty people type at once, and their team's server is too small: how many keys get text before the next key?
//   node lab/bench/team-overload.mjs [--checkout FOLDER] [--clients 20] [--keys 60] [--interval 250]
//                                     [--slots 4] [--ms 600] [--without-server] [--slower 1]
// Each client is a language server of its own, built from the checkout, so that two commits can be compared. Its fake
// local model answers at once. The team's server is simulated: it works on some requests at a time (--slots), each for
// a fixed time (--ms); the others queue, and a request whose connection closes leaves the queue.
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { CancellationTokenSource, StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver-protocol/node';
import { main, optionsFrom, root } from '../../scripts/tools.mjs';
import { bundled } from '../../test/support/bundled.mjs';
import { dilate } from './dilated-time.mjs';

const number = (value) => ({ type: 'string', default: String(value) });
const options = optionsFrom({
  checkout: { type: 'string', default: root },
  clients: number(20),
  keys: number(60),
  interval: number(250),
  slots: number(4),
  ms: number(600),
  slower: number(1),
  'without-server': { type: 'boolean', default: false },
});
const of = (name) => Number(options[name]);

/** Every answer is 'far away', to tell it from the local model's 'answer();'. */
function overloadedServer() {
  const queue = [];
  let busy = 0;
  const figures = { asked: 0, answered: 0 };
  const next = () => {
    while (busy < of('slots') && queue.length > 0) {
      const response = queue.shift();
      busy++;
      setTimeout(() => {
        busy--;
        if (!response.destroyed) answer(response);
        next();
      }, of('ms'));
    }
  };
  const answer = (response) => {
    figures.answered++;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const choice = { text: 'far away', finish_reason: null, logprobs: { token_logprobs: [0] } };
    response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
    response.write(`data: ${JSON.stringify({ choices: [{ text: '', finish_reason: 'stop' }] })}\n\n`);
    response.end('data: [DONE]\n\n');
  };
  const http = createServer((request, response) => {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      return void response.end('{"data":[{"id":"Qwen2.5-Coder-7B"}]}');
    }
    request.resume().on('end', () => {
      figures.asked++;
      queue.push(response);
      response.on('close', () => {
        const place = queue.indexOf(response);
        if (place >= 0) queue.splice(place, 1);
      });
      next();
    });
  });
  http.keepAliveTimeout = 60_000;
  return new Promise((done) => {
    http.listen(0, '127.0.0.1', () => done({ url: `http://127.0.0.1:${http.address().port}`, figures, http }));
  });
}

/**
 * Bundles the checkout's language server and its fake model. All servers run in this process, which saves memory and
 * time.
 */
async function builtServer() {
  const checkout = resolve(options.checkout);
  const [server = ''] = ['language-server/server/server.ts', 'language-server/server.ts'].filter((path) =>
    existsSync(join(checkout, path)),
  );
  const fake = './test/fixtures/fake-engine.ts';
  const contents = `export { Server } from './${server}'; export { FakeEngine, fakeTraits } from '${fake}';`;
  return bundled('overload-server', { contents, resolveDir: checkout, loader: 'ts' });
}

function connect({ Server, FakeEngine, fakeTraits }, LspWindow) {
  const engine = async () => ({ engine: new FakeEngine({ respond: () => 'answer();' }), traits: fakeTraits });
  const parts = {
    loadModel: engine,
    addonInfo: () => ({ variants: ['fake'], gpus: async () => 'none' }),
    bundledModel: 'bundled',
  };
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  new Server(parts).connect(new StreamMessageReader(toServer), new StreamMessageWriter(toClient), null, () => {});
  return new LspWindow(new StreamMessageReader(toClient), new StreamMessageWriter(toServer));
}

/** Types without a pause. Returns, for each key, whose text came before the next key: server, local, or nothing. */
async function type(client, i) {
  const uri = `file:///team/document${i}.ts`;
  await client.open(uri, `// document ${i}\n\n`);
  await sleep((i / of('clients')) * of('interval'));
  const shown = [];
  const startedAt = performance.now();
  for (let key = 0; key < of('keys'); key++) {
    await client.type(uri, 1, key, 'abcdefghij'[(key * 7 + i) % 10]);
    const source = new CancellationTokenSource();
    let text = '';
    client.complete(uri, 1, key + 1, source.token).then(
      ([item]) => {
        text = String(item?.insertText ?? '');
      },
      () => {},
    );
    await sleep(Math.max(0, startedAt + (key + 1) * of('interval') - performance.now()));
    shown.push(text === '' ? 'nothing' : text.startsWith('far') ? 'server' : 'local');
    source.cancel();
  }
  return shown;
}

await main(async () => {
  dilate(of('slower'));
  const { LspWindow } = await bundled('lsp-client', 'test/support/lsp-client.ts');
  const server = await overloadedServer();
  const built = await builtServer();
  const url = options['without-server'] ? '' : server.url;
  const settings = { 'server.url': url, 'server.model': 'Qwen2.5-Coder-7B', 'completion.confidence': 'eager' };
  const clients = Array.from({ length: of('clients') }, () => connect(built, LspWindow));
  for (const client of clients) {
    await client.initialize(settings);
    await client.settled();
  }
  await sleep(1000);
  const before = { ...server.figures };
  const rows = await Promise.all(clients.map(type));
  const all = rows.flat();
  const share = (whose, of = all) => `${((100 * of.filter((each) => each === whose).length) / of.length).toFixed(1)} %`;
  const asked = server.figures.asked - before.asked;
  console.log(
    `${all.length} keys: text of the server ${share('server')}, of the local model ${share('local')}, none ${share('nothing')}`,
  );
  const seconds = Math.ceil((of('keys') * of('interval')) / 1000);
  const inSecond = (second) =>
    rows.flatMap((row) => row.filter((_, key) => Math.floor((key * of('interval')) / 1000) === second));
  const none = Array.from({ length: seconds }, (_, second) => share('nothing', inSecond(second)).replace(/\.\d %/, ''));
  console.log(`keys without text in each second, %: ${none.join(' ')}`);
  console.log(`${asked} requests to the server, ${server.figures.answered - before.answered} answered`);
  process.exit(0); // the clients' servers never end by themselves
});
