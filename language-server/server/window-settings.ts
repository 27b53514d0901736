// The settings of one window: the editor sends them in one of three ways, and an administrator may have set some.
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

  /** Takes settings from initializationOptions or from our own extension (see settingsNotification). */
  give(given: SettingsParams | undefined): void {
    this.given = { ...this.given, ...given };
    this.update();
  }

  /** Takes settings from workspace/configuration or workspace/didChangeConfiguration. section: our part of them. */
  configure(section: unknown): void {
    this.configured = configuredForFolder(section);
    this.update();
  }

  private update(): void {
    const { serverToken, network, ...given } = this.given;
    const managed = managedConfiguration();
    const { settings: configured } = this.configured;
    // Neither a folder nor an administrator can turn on what the user has turned off.
    const modes = [given.mode, configured.mode, managed.settings.mode];
    const mode = strictestFirst.find((possible) => modes.includes(possible));
    const all = { ...given, ...configured, ...managed.settings, ...(mode && { mode }) };
    const { settings, problems } = checkedSettings(all);
    this.settings = settings;
    this.problems = [...managed.problems, ...this.configured.problems, ...problems];
    this.connecting = { ...(serverToken !== undefined && { serverToken }), ...(network && { network }) };
  }
}
