// A server that replaces Hearth's own, for a single window. Its model takes a minute for each token.
import { cannotAnnounceCode } from '../../language-server/protocol/endpoint.ts';
import { Server } from '../../language-server/server/server.ts';
import { FakeEngine, fakeTraits } from '../fixtures/fake-engine.ts';

if (process.argv.includes('--endpoint')) process.exit(cannotAnnounceCode);
const engine = new FakeEngine({ respond: () => 'late', tokenMs: 60_000 });
new Server({
  loadModel: async () => ({ engine, traits: fakeTraits }),
  addonInfo: () => ({ variants: ['fake'], gpus: async () => 'none' }),
  bundledModel: 'slow',
}).connectStdio();
