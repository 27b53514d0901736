// Sets up a provider with a fake engine; ask() requests a suggestion at "$0".
import type { InlineCompletionContext } from 'vscode-languageserver/node';
import { OpenDocument } from '../../language-server/documents/open-document.ts';
import type { Pace } from '../../language-server/offers/document-offers.ts';
import { type Answer, CompletionProvider } from '../../language-server/offers/provider.ts';
import type { GrownParams, Mode, Settings } from '../../language-server/protocol/messages.ts';
import { defaultSettings } from '../../language-server/protocol/settings.ts';
import { FakeEngine, type FakeOptions, loaded } from '../fixtures/fake-engine.ts';
import { cursorIn } from './cursor.ts';

export const automatic: InlineCompletionContext = { triggerKind: 2 };
export const invoked: InlineCompletionContext = { triggerKind: 1 };

export interface Ask {
  uri?: string;
  languageId?: string;
  version?: number;
  context?: InlineCompletionContext;
  mode?: Mode;
  settings?: Partial<Settings>;
  signal?: AbortSignal;
}

/** By default, nothing is generated ahead, and all answers wait for the whole text. */
const pace: Pace = { earlyAnswerMs: 60_000, growthMs: 60_000, restMs: 60_000, graceMs: 20 };

export function setUp(options: FakeOptions & Partial<Pace> = {}) {
  const engine = new FakeEngine({ respond: () => 'answer();', ...options });
  const grown: string[] = [];
  const onGrown = ({ uri, version, position }: GrownParams) =>
    grown.push(`${uri} ${version} ${position.line}:${position.character}`);
  const provider = new CompletionProvider({ onGrown }, { ...pace, ...options });
  const ask = (marked: string, asked: Ask = {}): Promise<Answer> => {
    const { uri = 'file:///a.ts', languageId = 'typescript', version = 1, context = automatic, mode } = asked;
    const { text, offset } = cursorIn(marked);
    const document = OpenDocument.create(uri, languageId, version, text);
    const request = { document, position: document.positionAt(offset), context, mode };
    const settings = { ...defaultSettings, ...asked.settings };
    return provider.provide(request, loaded(engine), () => settings, asked.signal);
  };
  const asked = (priority: string) => engine.requests.filter((request) => request.priority === priority).length;
  return { engine, provider, ask, asked, grown };
}

export const texts = ({ items }: Answer) => items.map(({ insertText }) => insertText);
