// Runs one check of "Show Status" and `hearth doctor`, and writes a list of checks as text.
import { logEntry } from '../protocol/log.ts';

export interface Check {
  name: string;
  isOk: boolean;
  /** The finding; if the check has failed, the fault and what to do. */
  detail: string;
}

/** Runs a check. find: returns the finding, or throws if something is broken. */
export async function check(name: string, find: () => string | Promise<string>): Promise<Check> {
  try {
    return { name, isOk: true, detail: await find() };
  } catch (error) {
    return { name, isOk: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

export function reportLines(checks: Check[]): string[] {
  return checks.map(({ name, isOk, detail }) => logEntry(`${isOk ? 'ok    ' : 'BROKEN'}  ${name}: ${detail}`));
}
