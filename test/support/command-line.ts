// Runs a command-line program and checks what it prints.
import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { node } from './program.ts';

export interface Result {
  code: number | null;
  out: string;
  err: string;
}

export function commandLine(program: string) {
  const run = (...args: string[]): Result => {
    const [command = '', ...rest] = [...node, program, ...args];
    const { status, stdout, stderr } = spawnSync(command, rest, { encoding: 'utf8', timeout: 300_000 });
    return { code: status, out: stdout, err: stderr };
  };
  /** Runs a line of bash, in which "$@" stands for the program. */
  const shell = (line: string): Result => {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', line, 'bash', ...node, program], { encoding: 'utf8' });
    return { code: status, out: stdout, err: stderr };
  };
  /** The JSON that the command prints. */
  const json = <T>(...args: string[]): T => {
    const { code, out, err } = run(...args, '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out) as T;
  };
  /** Checks that the command fails with this exit code and prints nothing but one line that matches. */
  const checkFails = (args: string[], code: number, line: RegExp): void => {
    const result = run(...args);
    expect(result).toMatchObject({ code, out: '' });
    expect(result.err).toMatch(line);
    expect(result.err.trimEnd().split('\n')).toHaveLength(1);
  };
  return { run, shell, json, checkFails };
}
