// A server that replaces Hearth's own, for a single window. Its model always writes the text in answer.txt beside the
// server, or nothing without that file.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cannotAnnounceCode } from '../../language-server/protocol/endpoint.ts';
import { Server } from '../../language-server/server/server.ts';
import { FakeEngine, fakeTraits } from '../fixtures/fake-engine.ts';

if (process.argv.includes('--endpoint')) process.exit(cannotAnnounceCode);
const file = join(dirname(process.argv[1] ?? ''), 'answer.txt');
const respond = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
new Server({
  loadModel: async () => ({ engine: new FakeEngine({ respond }), traits: fakeTraits }),
  addonInfo: () => ({ variants: ['fake'], gpus: async () => 'none' }),
  bundledModel: 'answering',
}).connectStdio();
