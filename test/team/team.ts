// What test/team/run.mjs bundles: Hearth's side of a team's server, one behaviour at a time. Each resolves to what is
// shown in the table, or throws if the server, or Hearth, does not do what a team needs.
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { InlineCompletionTriggerKind } from 'vscode-languageserver/node';
import { OpenDocument } from '../../language-server/documents/open-document.ts';
import { loadModel } from '../../language-server/engine/load-model.ts';
import { CompletionProvider } from '../../language-server/offers/provider.ts';
import { defaultSettings } from '../../language-server/protocol/settings.ts';
import { Team } from '../../language-server/remote/team.ts';
import { examineServer } from '../../language-server/server/server-doctor.ts';
import type { Engine } from '../../native/index.ts';

const settings = { ...defaultSettings, 'completion.confidence': 'eager' as const };

export interface Subject {
  url: string;
  model: string;
  credential: string;
  /** The process, if it may be stopped and killed. */
  pid?: number;
}

export const loadLocal = async (modelPath: string): Promise<Engine> => (await loadModel({ modelPath })).engine;
export const doctor = examineServer;

type Trouble = 'slow' | 'truncated' | 'redirected' | 'HTML' | 'JSON';

/** A gateway before the server, which makes trouble once it is told to. */
async function gateway({ url }: Subject, trouble: Trouble) {
  const state = { isTroubled: false };
  const http = createServer((asked, answer) => {
    const isHit = state.isTroubled && asked.method === 'POST';
    if (isHit && trouble === 'redirected') return void answer.writeHead(307, { location: `${url}${asked.url}` }).end();
    if (isHit && trouble === 'HTML')
      return void answer.setHeader('content-type', 'text/html').end('<html>Sign in</html>');
    if (isHit && trouble === 'JSON')
      return void answer.setHeader('content-type', 'application/json').end('{"error":"no"}');
    const options = { method: asked.method, headers: { ...asked.headers, host: new URL(url).host } };
    const onward = request(url + asked.url, options, async (response) => {
      if (isHit && trouble === 'slow') await sleep(5000);
      answer.writeHead(response.statusCode ?? 502, response.headers);
      if (!isHit || trouble !== 'truncated') return void response.pipe(answer);
      response.once('data', (bytes: Buffer) =>
        answer.write(bytes.subarray(0, bytes.length >> 1), () => answer.destroy()),
      );
    });
    answer.on('close', () => onward.destroy());
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const close = () => {
    http.closeAllConnections();
    http.close();
  };
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, state, close };
}

/** Types into a document and notes where each text comes from and when. */
class Typist {
  readonly messages: string[] = [];
  readonly team: Team;
  private readonly provider = new CompletionProvider();
  private version = 0;

  constructor(
    subject: Subject,
    private readonly local: Engine,
  ) {
    this.team = new Team(subject, (message) => this.messages.push(message));
  }

  async key(): Promise<{ from: 'server' | 'local'; ms: number; text: string }> {
    const text = `# Version ${this.version}.\ndef add(a, b):\n    """Add two numbers."""\n    return a`;
    const document = OpenDocument.create(
      'file:///team.py',
      'python',
      this.version++,
      `${text}\n\n\nprint(add(1, 2))\n`,
    );
    const position = document.positionAt(text.length);
    const models = { local: this.local, remote: () => this.team.completer(this.local) };
    const source = { ready: async () => models, isLoading: () => false };
    const context = { triggerKind: InlineCompletionTriggerKind.Automatic };
    const startedAt = performance.now();
    const { items } = await this.provider.provide({ document, position, context }, source, settings);
    const from = this.team.info(this.local).device === 'server' ? 'server' : 'local';
    return { from, ms: performance.now() - startedAt, text: String(items[0]?.insertText ?? '') };
  }

  close(): void {
    this.provider.close();
    this.team.close();
  }
}

async function withTypist<T>(subject: Subject, local: Engine, use: (typist: Typist) => Promise<T>): Promise<T> {
  const typist = new Typist(subject, local);
  try {
    await typist.team.tried;
    return await use(typist);
  } finally {
    typist.close();
  }
}

const ms = (time: number) => `${time.toFixed(0)} ms`;

/** The first key from the server, the next ones from the local model, in a time that a person accepts. */
async function takesOver(typist: Typist, trouble: () => void): Promise<string> {
  assert.equal((await typist.key()).from, 'server', typist.messages.join(' '));
  trouble();
  const first = await typist.key();
  const second = await typist.key();
  assert.deepEqual([first.from, second.from], ['local', 'local']);
  assert.ok(first.ms < 3500 && second.ms < 2000, `${ms(first.ms)}, then ${ms(second.ms)}`);
  assert.notEqual(second.text, '');
  return `local after ${ms(first.ms)}, then ${ms(second.ms)}`;
}

const behind = (trouble: Trouble) => async (subject: Subject, local: Engine) => {
  const between = await gateway(subject, trouble);
  try {
    return await withTypist({ ...subject, url: between.url }, local, (typist) =>
      takesOver(typist, () => {
        between.state.isTroubled = true;
      }),
    );
  } finally {
    between.close();
  }
};

const refused = (changes: Partial<Subject>) => (subject: Subject, local: Engine) =>
  withTypist({ ...subject, ...changes }, local, async (typist) => {
    const { from } = await typist.key();
    if (from === 'server') return 'accepted by the server';
    return typist.team.info(local).fallbackReason.replace(/^\S+ /, '');
  });

const stopped = (signal: 'SIGSTOP' | 'SIGKILL') => (subject: Subject, local: Engine) =>
  withTypist(subject, local, async (typist) => {
    const { pid } = subject;
    if (pid === undefined) return 'not tried';
    try {
      return await takesOver(typist, () => process.kill(pid, signal));
    } finally {
      if (signal === 'SIGSTOP') process.kill(pid, 'SIGCONT');
    }
  });

/** In this order: the last one ends the server. */
export const behaviours: Record<string, (subject: Subject, local: Engine) => Promise<string>> = {
  completes: (subject, local) =>
    withTypist(subject, local, async (typist) => {
      const { from, ms: time, text } = await typist.key();
      assert.equal(from, 'server', typist.team.info(local).fallbackReason);
      return `${JSON.stringify(text)} after ${ms(time)}`;
    }),
  'wrong token': refused({ credential: 'wrong' }),
  'wrong model': refused({ model: 'no-such-model' }),
  slow: behind('slow'),
  truncated: behind('truncated'),
  redirected: behind('redirected'),
  HTML: behind('HTML'),
  JSON: behind('JSON'),
  frozen: stopped('SIGSTOP'),
  killed: stopped('SIGKILL'),
};
