// A team's server: finds out which model it has, and whether it answers now.
import type { Completer, Engine, ModelInfo } from '../../native/index.ts';
import { sentence } from '../protocol/log.ts';
import { Availability, type Timeouts } from './availability.ts';
import { CompletionsApi } from './completions-api.ts';
import { type FillingModel, RemoteModel } from './remote-model.ts';
import { errorOf, ServerError } from './server-error.ts';
import { describe } from './server-model.ts';
import { Connection, type ServerOptions } from './team-connection.ts';

const probeMs = 10_000;
const probePrompt = { prompt: 'def add(a, b):\n    return a', max_tokens: 1, temperature: 0 };
const withoutProbabilities = 'which sends no probabilities, so that unlikely suggestions are shown, too';

interface Found {
  model: FillingModel;
  api: CompletionsApi;
}

export class Team {
  /** Resolves when the server has answered the first probe, or has failed to. */
  readonly tried: Promise<void>;
  private connection: Connection | undefined;
  private found: Found | undefined;
  private remote: RemoteModel | undefined;
  private local: Engine | undefined;
  private isProbing = false;
  private hasProbabilities = true;
  private readonly closed = new AbortController();
  private readonly availability: Availability;

  /** onChange: called with a sentence when the server or the local model takes over. */
  constructor(
    private readonly options: ServerOptions,
    private readonly onChange: (message: string) => void,
    timeouts?: Timeouts,
  ) {
    const tell = (message: string) => void (this.closed.signal.aborted || onChange(message));
    this.availability = new Availability("The team's server has not answered yet.", tell, timeouts);
    this.tried = this.probe();
  }

  /** The server's model; null while the server fails. Each call then probes the server if the pause is over. */
  completer(local: Engine): Completer | null {
    if (this.availability.isProbeDue) void this.probe();
    return this.availability.isUp ? this.modelFor(local) : null;
  }

  /** See Availability. */
  get headStartMs(): number {
    return this.availability.headStartMs;
  }

  /** Describes the model that answers now. If it is the local model, fallbackReason says why. */
  info(local: Engine): ModelInfo {
    const { isUp, problem } = this.availability;
    const remote = isUp ? this.modelFor(local)?.info : undefined;
    if (!remote) return { ...local.info, fallbackReason: problem };
    return this.hasProbabilities ? remote : { ...remote, backend: `${remote.backend}, ${withoutProbabilities}` };
  }

  close(): void {
    this.closed.abort();
    this.connection?.close();
  }

  private modelFor(local: Engine): RemoteModel | null {
    if (!this.found) return null;
    const { model, api } = this.found;
    if (this.local !== local) this.remote = undefined;
    this.local = local;
    this.remote ??= new RemoteModel(model, local, api, this.availability);
    if (this.hasProbabilities && !api.givesProbabilities) {
      this.hasProbabilities = false;
      this.onChange(`The model runs on ${model.host}, ${withoutProbabilities}.`);
    }
    return this.remote;
  }

  private async probe(): Promise<void> {
    if (this.isProbing) return;
    this.isProbing = true;
    const signal = AbortSignal.any([this.closed.signal, AbortSignal.timeout(probeMs)]);
    try {
      const found = await this.find(signal);
      for await (const _ of found.api.stream(probePrompt, this.availability.timeoutMs, signal));
      this.availability.recovered();
    } catch (error) {
      const { connection, closed } = this;
      if (!closed.signal.aborted) this.availability.failed(errorOf(connection?.host ?? '', error, sentence));
    }
    this.isProbing = false;
  }

  /** Asks the server which model it has: it may be another one than before. */
  private async find(signal: AbortSignal): Promise<Found> {
    this.connection ??= new Connection(this.options);
    const { connection } = this;
    const { host } = connection;
    const { fim, ...described } = await describe(connection, this.options.model, signal);
    if (fim === null)
      throw new ServerError(
        `${described.title} on ${host} was not trained to fill in the middle. A base model such as Qwen2.5-Coder-7B is.`,
      );
    const model = { ...described, fim, host };
    if (this.found && JSON.stringify(model) === JSON.stringify(this.found.model)) return this.found;
    this.remote = undefined;
    this.hasProbabilities = true;
    this.found = { model, api: new CompletionsApi(connection, model.id) };
    return this.found;
  }
}
