// The server's log. It never contains document text.
import { type LogMessageParams, MessageType } from 'vscode-languageserver';
import type { Timings } from '../../native/index.ts';
import { decoded } from './secret-names.ts';

export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/**
 * A log that `send` delivers to a window. Entries for a window that has closed are lost. redact: hides secrets. Every
 * entry is cleaned by logEntry().
 */
export function windowLog(
  send: (message: LogMessageParams) => Promise<void>,
  redact: (message: string) => string = (message) => message,
): Log {
  const say = (type: MessageType) => async (message: string) => {
    try {
      await send({ type, message: logEntry(redact(message)) });
    } catch {
      // The window has closed. Its connection notices that by itself.
    }
  };
  return { info: say(MessageType.Info), warn: say(MessageType.Warning), error: say(MessageType.Error) };
}

const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** These characters could make foreign text look like an entry. A line break before a stack frame is allowed. */
const forging = new RegExp(`(?!\\n {4}at )${invisible.source}`, 'gu');
const maxEntryChars = 10_000;
const minSecretChars = 4;

/** Cleans an entry, so that foreign text in it cannot look like another entry, hide anything or control a terminal. */
export function logEntry(message: string): string {
  return message.slice(0, maxEntryChars).replace(forging, ' ');
}

/** A log whose entries are cleaned. */
export function cleanLog(log: Log): Log {
  const say = (level: keyof Log) => (message: string) => log[level](logEntry(message));
  return { info: say('info'), warn: say('warn'), error: say('error') };
}

/**
 * Makes foreign text, such as a server's error message, fit for the log, the status and a tooltip: one line of visible
 * characters, without the secrets, and at most `maxChars` long.
 */
export function sentence(text: unknown, secrets: readonly string[] = [], maxChars = 300): string {
  let line = String(text).slice(0, maxChars * 10);
  const hidden = secrets.filter((secret) => secret.length >= minSecretChars);
  for (const secret of hidden.toSorted((a, b) => b.length - a.length)) line = line.replaceAll(secret, '***');
  return line.slice(0, maxChars).replace(invisible, ' ').replace(/\s+/g, ' ').trim();
}

/**
 * The last part of a URI, which identifies a document without revealing its path, with line and column. It is decoded,
 * as in editors, but control characters stay encoded, so that a file's name cannot start a new line of the log.
 */
export function placeName(uri: string, { line, character }: { line: number; character: number }): string {
  const lastPart = decoded(uri).replace(/^.*[/\\:]/s, '');
  const name = lastPart.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, encodeURIComponent);
  return `${name}:${line + 1}:${character + 1}`;
}

export function timingLine(timings: Timings, latencyMs: number): string {
  const { promptTokens, cachedTokens, completionTokens, prefillMs, decodeMs } = timings;
  return (
    `${cachedTokens} of ${promptTokens} prompt tokens cached, prefill ${prefillMs.toFixed(0)} ms, ` +
    `${completionTokens} tokens in ${decodeMs.toFixed(0)} ms, answered after ${latencyMs.toFixed(0)} ms`
  );
}

export function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Logs an error and returns null instead. */
export async function guarded<T>(log: Log, what: string, work: Promise<T> | undefined): Promise<T | null> {
  try {
    return (await work) ?? null;
  } catch (error) {
    log.error(`${what} failed: ${errorText(error)}`);
    return null;
  }
}
