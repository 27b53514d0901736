// dist/hearth.js: the command line. Each command is a file of this folder.
import { parseArgs } from 'node:util';
import { version } from '../../package.json';
import { benchCommand } from './bench.ts';
import { type Command, type Options, print, UsageError } from './command.ts';
import { completeCommand } from './complete.ts';
import { doctorCommand } from './doctor.ts';
import { evalCommand } from './eval.ts';
import { explainCommand } from './explain.ts';
import { logitsCommand } from './logits.ts';
import { lspCommand } from './lsp.ts';
import { perplexityCommand } from './perplexity.ts';
import { replayCommand } from './replay.ts';
import { tokenizeCommand } from './tokenize.ts';

const commands: Record<string, Command> = {
  complete: completeCommand,
  explain: explainCommand,
  tokenize: tokenizeCommand,
  logits: logitsCommand,
  perplexity: perplexityCommand,
  eval: evalCommand,
  bench: benchCommand,
  replay: replayCommand,
  doctor: doctorCommand,
  lsp: lspCommand,
};

const commonOptions: Options = {
  json: { type: 'boolean', help: 'print JSON' },
  help: { type: 'boolean', short: 'h', help: 'print this' },
};

async function main([name, ...args]: string[]): Promise<void> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return print(overview());
  if (name === '--version') return print(version);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new UsageError(`there is no command "${name}"`);
  const options = { ...command.options, ...commonOptions };
  const { values, positionals } = parse(args, options);
  if (values.help) return print(help(name, command, options));
  if (command.operands === '' && positionals.length > 0)
    throw new UsageError(`${name} takes options only, not "${positionals.join(' ')}"`);
  await command.run(values, positionals);
}

function parse(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function overview(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`);
  return ['Usage: hearth COMMAND [options]', '', ...lines, '', '"hearth COMMAND --help" lists the options.'].join('\n');
}

function help(name: string, command: Command, options: Options): string {
  const lines = Object.entries(options).map(([option, { short, value, help: text }]) => {
    const flag = `${short ? `-${short}, ` : '    '}--${option}${value ? ` ${value}` : ''}`;
    return `  ${flag.padEnd(24)}${text}`;
  });
  return [`Usage: hearth ${name} [options] ${command.operands}`.trimEnd(), '', command.summary, '', ...lines].join(
    '\n',
  );
}

// Who reads the output, such as `head`, may have enough of it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

main(process.argv.slice(2)).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  const isUsage = error instanceof UsageError;
  process.stderr.write(`hearth: ${message}${isUsage ? '; "hearth --help" says more' : ''}\n`);
  process.exitCode = isUsage ? 2 : 1;
});
