// The settings of one window: what its editor sends, in one of three ways, and what an administrator has set for all.
import { type Configured, configuredForFolder, managedConfiguration } from '../protocol/configuration.ts';
import type { Connecting, Mode, Settings, SettingsParams } from '../protocol/messages.ts';
import { checkedSettings, defaultSettings } from '../protocol/settings.ts';

const strictestFirst: Mode[] = ['off', 'manual', 'automatic'];
const nothing: Configured = { settings: {}, problems: [] };

export class WindowSettings {
  settings: Settings = defaultSettings;
  connecting: Connecting = {};
  /** Messages for the user. */
  problems: string[] = [];
  private given: SettingsParams = {};
  private configured = nothing;

  /** From initializationOptions, or from a client of our own: see settingsNotification. */
  give(given: SettingsParams | undefined): void {
    this.given = { ...this.given, ...given };
    this.update();
  }

  /** section: the client's answer to workspace/configuration, or what came with workspace/didChangeConfiguration. */
  configure(section: unknown): void {
    this.configured = configuredForFolder(section);
    this.update();
  }

  private update(): void {
    const { serverToken, network, ...given } = this.given;
    const managed = managedConfiguration();
    const { settings: ofFolder } = this.configured;
    // Neither a folder nor an administrator can turn on what the user has turned off.
    const modes = [given.mode, ofFolder.mode, managed.settings.mode];
    const mode = strictestFirst.find((each) => modes.includes(each));
    const all = { ...given, ...ofFolder, ...managed.settings, ...(mode && { mode }) };
    const { settings, problems } = checkedSettings(all);
    this.settings = settings;
    this.problems = [...managed.problems, ...this.configured.problems, ...problems];
    this.connecting = { ...(serverToken !== undefined && { serverToken }), ...(network && { network }) };
  }
}
