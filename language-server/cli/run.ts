// Runs a command such as `hearth complete`: parses its options and prints help and errors.
import { parseArgs } from 'node:util';
import { version } from '../../package.json';
import { logEntry } from '../protocol/log.ts';
import { type Command, type Options, print, UsageError } from './command.ts';

const commonOptions: Options = {
  json: { type: 'boolean', help: 'print JSON' },
  help: { type: 'boolean', short: 'h', help: 'print this' },
};

export function runCommandLine(program: string, commands: Record<string, Command>): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as `head` may close the pipe early.
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`${program}: cannot write the output: ${error.message}\n`);
    process.exit(1);
  });
  run(program, commands, process.argv.slice(2)).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    const isUsage = error instanceof UsageError;
    process.stderr.write(`${program}: ${logEntry(message)}${isUsage ? `; "${program} --help" says more` : ''}\n`);
    process.exitCode = isUsage ? 2 : 1;
  });
}

async function run(program: string, commands: Record<string, Command>, [name, ...args]: string[]): Promise<void> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help')
    return print(overview(program, commands));
  if (name === '--version') return print(version);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new UsageError(`there is no command "${name}"`);
  const options = { ...command.options, ...commonOptions };
  const { values, positionals } = parse(args, options);
  if (values.help) return print(help(`${program} ${name}`, command, options));
  if (command.operands === '' && positionals.length > 0)
    throw new UsageError(`${name} takes options only, not "${positionals.join(' ')}"`);
  await command.run(values, positionals);
}

function parse(args: string[], options: Options) {
  const aliases = Object.entries(options).flatMap(([name, option]) => (option.alias ? [{ ...option, name }] : []));
  const all = { ...options, ...Object.fromEntries(aliases.map((option) => [option.alias, option])) };
  const { values, positionals } = parsed(args, all);
  for (const { name, alias = '' } of aliases) {
    if (values[alias] === undefined) continue;
    if (values[name] !== undefined) throw new UsageError(`--${alias} is another name of --${name}: give one of them`);
    values[name] = values[alias];
  }
  return { values, positionals };
}

function parsed(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function overview(program: string, commands: Record<string, Command>): string {
  const width = Math.max(12, ...Object.keys(commands).map((name) => name.length + 1));
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}${summary}`);
  const hint = `"${program} COMMAND --help" lists the options.`;
  return [`Usage: ${program} COMMAND [options]`, '', ...lines, '', hint].join('\n');
}

function help(call: string, command: Command, options: Options): string {
  const lines = Object.entries(options).map(([option, { short, value, alias, help: text }]) => {
    const flag = `${short ? `-${short}, ` : '    '}--${option}${value ? ` ${value}` : ''}`;
    return `  ${flag.padEnd(24)}${text}${alias ? `; also --${alias}` : ''}`;
  });
  return [
    `Usage: ${call} [options] ${command.operands}`.trimEnd(),
    '',
    command.summary,
    '',
    ...lines,
    ...(command.hint ? ['', command.hint] : []),
  ].join('\n');
}
