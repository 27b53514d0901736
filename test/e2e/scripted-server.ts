// A server that replaces Hearth's own, for a single window. It offers the edit in next-edit.json, which the test writes
// beside the server: once, when the window first asks from the position in that file.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NextEdits } from '../../language-server/edits/next-edits.ts';
import { cannotAnnounceCode } from '../../language-server/protocol/endpoint.ts';
import type { NextEdit } from '../../language-server/protocol/next-edit-messages.ts';
import { Server } from '../../language-server/server/server.ts';
import { FakeEngine, fakeTraits } from '../fixtures/fake-engine.ts';

/** The content of next-edit.json. */
export interface Script {
  /**
   * Where the cursor must be for the edit to be offered. A request from another position belongs to an earlier change.
   */
  position: { line: number; character: number };
  edit: Omit<NextEdit, 'uri' | 'version'>;
}

if (process.argv.includes('--endpoint')) process.exit(cannotAnnounceCode);
const file = join(dirname(process.argv[1] ?? ''), 'next-edit.json');
NextEdits.prototype.provide = async ({ uri, version, position }) => {
  const nothing = { reason: 'nothing-follows' as const, edit: null };
  if (!existsSync(file)) return nothing;
  const script = JSON.parse(readFileSync(file, 'utf8')) as Script;
  if (position.line !== script.position.line || position.character !== script.position.character) return nothing;
  rmSync(file);
  return { reason: 'edit-offered', edit: { ...script.edit, uri, version } };
};
new Server({
  loadModel: async () => ({ engine: new FakeEngine({ respond: () => '' }), traits: fakeTraits }),
  addonInfo: () => ({ variants: ['fake'], gpus: async () => 'none' }),
  bundledModel: 'scripted',
}).connectStdio();
