// A stub of the part of VS Code's API that extension/ uses, for tests without an editor.
export const version = '1.139.1';

export const l10n = {
  t: (message: string, ...values: (string | number)[]) =>
    message.replace(/\{(\d+)\}/g, (_, i) => String(values[Number(i)])),
};

export const env = { language: 'en' };

type Handler = (...values: unknown[]) => unknown;
const handlers = new Map<string, Handler>();
export const commands = {
  registerCommand: (id: string, handler: Handler) => {
    handlers.set(id, handler);
    return { dispose: () => handlers.delete(id) };
  },
  executeCommand: async (id: string, ...values: unknown[]) => handlers.get(id)?.(...values),
};

export class Range {
  constructor(
    readonly start: unknown,
    readonly end: unknown,
  ) {}
}
