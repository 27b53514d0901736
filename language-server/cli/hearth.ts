// The command line, which dist/hearth.js runs. Each command has a file in this folder.
import { completeCommand } from './complete.ts';
import { doctorCommand } from './doctor.ts';
import { explainCommand } from './explain.ts';
import { generateCommand } from './generate.ts';
import { lspCommand } from './lsp.ts';
import { runCommandLine } from './run.ts';
import { tokenizeCommand } from './tokenize.ts';

export function hearth(): void {
  runCommandLine('hearth', {
    complete: completeCommand,
    explain: explainCommand,
    generate: generateCommand,
    tokenize: tokenizeCommand,
    doctor: doctorCommand,
    lsp: lspCommand,
  });
}
