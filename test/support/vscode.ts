// A stub for the parts of VS Code's API that extension/ uses most, for tests without an editor.
export const version = '1.139.1';

export const l10n = {
  t: (message: string, ...values: (string | number)[]) =>
    message.replace(/\{(\d+)\}/g, (_, i) => String(values[Number(i)])),
};

export const extensions = {
  all: [
    { packageJSON: { contributes: { languages: [{ id: 'rust', aliases: ['Rust', 'rust'] }] } } },
    { packageJSON: {} },
  ],
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

export class Disposable {
  static from(...all: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => all.map((each) => each.dispose()));
  }
  constructor(readonly dispose: () => unknown) {}
}

export class EventEmitter<T> {
  private readonly listeners = new Set<(event: T) => unknown>();
  readonly event = (listener: (event: T) => unknown): Disposable => {
    this.listeners.add(listener);
    return new Disposable(() => this.listeners.delete(listener));
  };
  fire(event: T): void {
    for (const listener of this.listeners) listener(event);
  }
  dispose(): void {
    this.listeners.clear();
  }
}

export class Range {
  constructor(
    readonly start: unknown,
    readonly end: unknown,
  ) {}
}
