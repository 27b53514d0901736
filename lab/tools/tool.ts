// Development tools, which do not ship: `npm run tool -- COMMAND …`. Each command is a file in this folder.
import { runCommandLine } from '../../language-server/cli/run.ts';
import { adapterCostCommand } from '../bench/adapter-cost.ts';
import { treeCostCommand } from '../bench/tree-cost.ts';
import { benchCommand } from './bench.ts';
import { catalogueCommand } from './catalogue.ts';
import { crossFileCommand } from './cross-file.ts';
import { demoCommand } from './demo.ts';
import { editCasesCommand } from './edit-cases.ts';
import { editCostCommand } from './edit-cost.ts';
import { evalCommand } from './eval.ts';
import { fitNextEditCommand } from './fit-next-edit.ts';
import { fitWriterCommand } from './fit-writer.ts';
import { gatesCommand } from './gates/gates.ts';
import { placesCommand } from './gates/places.ts';
import { recordCommand } from './gates/record.ts';
import { keyPathCommand } from './key-path.ts';
import { logitsCommand } from './logits.ts';
import { traceCommand } from './make-trace.ts';
import { nextEditCommand } from './next-edit.ts';
import { perplexityCommand } from './perplexity.ts';
import { replayCommand } from './replay.ts';
import { savingsCommand } from './savings.ts';
import { syntaxTreeCommand } from './syntax-tree.ts';
import { completionsCommand } from './training/completions.ts';

runCommandLine('tool', {
  eval: evalCommand,
  'cross-file': crossFileCommand,
  gates: gatesCommand,
  places: placesCommand,
  record: recordCommand,
  completions: completionsCommand,
  'next-edit': nextEditCommand,
  'edit-cases': editCasesCommand,
  'edit-cost': editCostCommand,
  'fit-next-edit': fitNextEditCommand,
  'fit-writer': fitWriterCommand,
  perplexity: perplexityCommand,
  logits: logitsCommand,
  trace: traceCommand,
  replay: replayCommand,
  savings: savingsCommand,
  bench: benchCommand,
  'adapter-cost': adapterCostCommand,
  'key-path': keyPathCommand,
  'syntax-tree': syntaxTreeCommand,
  'tree-cost': treeCostCommand,
  catalogue: catalogueCommand,
  demo: demoCommand,
});
