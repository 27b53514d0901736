// hearth complete FILE:LINE:COLUMN

import { pathToFileURL } from 'node:url';
import { styleText } from 'node:util';
import type { Completer, Engine } from '../../native/index.ts';
import { LongText } from '../documents/long-text.ts';
import { bundledModelFolder } from '../engine/load-model.ts';
import { type AdapterSettings, adapterFor, adapterOptions } from '../engine/load-options.ts';
import { adaptedModel } from '../offers/adapted-model.ts';
import { type GhostCompletion, generate } from '../offers/complete.ts';
import { Anchors } from '../prompt/anchors.ts';
import { languageIdOf } from '../prompt/document-path.ts';
import type { CursorDocument } from '../prompt/text-window.ts';
import { timingLine } from '../protocol/log.ts';
import { reasonTexts } from '../protocol/reasons.ts';
import { defaultSettings } from '../protocol/settings.ts';
import { usualTimeouts } from '../remote/availability.ts';
import { Team } from '../remote/team.ts';
import type { ServerOptions } from '../remote/team-connection.ts';
import { isWithheld } from '../secrets/secrets.ts';
import {
  backendOf,
  type Command,
  count,
  engineOptions,
  loadFrom,
  onlyOperand,
  print,
  printJson,
  readText,
  serverFrom,
  serverOptionsHelp,
  text,
  UsageError,
  type Values,
} from './command.ts';

const contextLines = 3;
const place = 'FILE:LINE[:COLUMN]';

export const completeCommand: Command = {
  summary: 'complete a file at a place, as the editor would',
  operands: place,
  options: {
    ...engineOptions,
    ...serverOptionsHelp,
    adapter: {
      type: 'string',
      value: 'FILE',
      help: "LoRA adapter for the model, a GGUF file, or off; default: Hearth's own for this model, if it has one",
    },
    'max-tokens': {
      type: 'string',
      value: 'N',
      help: `maximum tokens to write; default: ${defaultSettings['completion.maxTokens']}`,
    },
  },
  async run(values, operands) {
    const document = documentAt(onlyOperand(operands, place));
    const server = serverFrom(values);
    if (isWithheld(document.uri, document.text, server === null)) throw new Error(reasonTexts['secrets-file']);
    const maxTokens = count(values, 'max-tokens') ?? defaultSettings['completion.maxTokens'];
    const multiline = defaultSettings['completion.multiline'];
    const { engine, adapter } = await loadWithAdapter(values, server === null);
    try {
      const model = server === null ? adaptedModel(engine, adapter) : await remoteModel(server, engine);
      const startedAt = performance.now();
      const result = await generate(model, new Anchors(model), document, { maxTokens, multiline });
      const latencyMs = performance.now() - startedAt;
      if (values.json) printJson({ ...result, text: result.suggestions[0]?.text ?? '' });
      else show(document, result, latencyMs);
    } finally {
      await engine.close();
    }
  },
};

/** Loads the model with the adapter that --adapter names or, as an editor would, with Hearth's own if it may use that. */
async function loadWithAdapter(values: Values, mayAdapt: boolean): Promise<{ engine: Engine; adapter?: string }> {
  const settings: AdapterSettings = {
    backend: backendOf(values) ?? defaultSettings.backend,
    'model.adapter': text(values, 'adapter') ?? defaultSettings['model.adapter'],
    'model.editAdapter': 'off',
  };
  const adapters = mayAdapt ? adapterOptions(settings, bundledModelFolder()) : {};
  const { engine, ownAdapters, adapterProblem } = await loadFrom(values, adapters);
  if (adapterProblem !== undefined)
    process.stderr.write(`hearth: the model runs without Hearth's adapter: ${adapterProblem}\n`);
  const adapter = adapterFor('completions', settings, ownAdapters);
  return { engine, ...(adapter !== null && { adapter }) };
}

/** Nobody types meanwhile, so this can be longer than in an editor. */
const answerMs = 30_000;

/** The model on the team's server. */
async function remoteModel(server: ServerOptions, engine: Engine): Promise<Completer> {
  const team = new Team(server, () => {}, { ...usualTimeouts, minMs: answerMs, maxMs: answerMs });
  await team.tried;
  const model = team.completer(engine);
  if (model === null) throw new Error(team.info(engine).fallbackReason);
  return model;
}

/** LINE and COLUMN count from 1, as in editors; COLUMN is in UTF-16 units. Without it, the end of the line is meant. */
function documentAt(operand: string): CursorDocument {
  const [, path, line, column] = /^(.+?):(\d+)(?::(\d+))?$/.exec(operand) ?? [];
  if (path === undefined) throw new UsageError(`"${operand}" is not of the form ${place}`);
  const text = readText(path).replace(/^\ufeff/, ''); // editors do not count this mark as text
  const lines = text.split('\n');
  const target = lines[Number(line) - 1]?.replace(/\r$/, '');
  if (target === undefined) throw new Error(`${path} has ${lines.length} lines; there is no line ${line}`);
  const character = column === undefined ? target.length : Number(column) - 1;
  if (character < 0 || character > target.length)
    throw new Error(`line ${line} of ${path} has columns 1 to ${target.length + 1}; there is no column ${column}`);
  const before = lines.slice(0, Number(line) - 1).reduce((length, each) => length + each.length + 1, 0);
  return {
    uri: pathToFileURL(path).href,
    languageId: languageIdOf(path),
    text: LongText.of(text),
    offset: before + character,
  };
}

function show({ text, offset }: CursorDocument, result: GhostCompletion, latencyMs: number): void {
  const before = text
    .slice(0, offset)
    .split('\n')
    .slice(-contextLines - 1)
    .join('\n');
  const after = text
    .slice(offset)
    .split('\n', contextLines + 1)
    .join('\n');
  const shown = result.suggestions[0];
  print(`${before}${shown ? ghost(shown.text) : ''}${after.slice(shown?.replaces ?? 0).trimEnd()}`);
  print(`\n${reasonTexts[result.reason ?? 'shown']}\n${timingLine(result.timings, latencyMs)}`);
}

function ghost(text: string): string {
  return process.stdout.isTTY ? styleText('dim', text) : `«${text}»`;
}
