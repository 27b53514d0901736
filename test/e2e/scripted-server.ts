// A server in place of Hearth's own, for a window alone: the edit that it offers is the one that a test has written into
// a file beside it. It is offered once.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NextEdits } from '../../language-server/edits/next-edits.ts';
import { cannotAnnounceCode } from '../../language-server/protocol/endpoint.ts';
import { Server } from '../../language-server/server/server.ts';
import { FakeEngine, fakeTraits } from '../fixtures/fake-engine.ts';

if (process.argv.includes('--endpoint')) process.exit(cannotAnnounceCode);
const script = join(dirname(process.argv[1] ?? ''), 'next-edit.json');
NextEdits.prototype.provide = async ({ uri, version }) => {
  if (!existsSync(script)) return { reason: 'nothing-follows', edit: null };
  const edit = JSON.parse(readFileSync(script, 'utf8'));
  rmSync(script);
  return { reason: 'edit-offered', edit: { ...edit, uri, version } };
};
new Server({
  loadModel: async () => ({ engine: new FakeEngine({ respond: () => '' }), traits: fakeTraits }),
  addonInfo: () => ({ variants: ['fake'], gpus: async () => 'none' }),
  bundledModel: 'scripted',
}).connectStdio();
