// The network settings of VS Code that the language server gets.
import { beforeEach, expect, test, vi } from 'vitest';
import { networkSettings } from '../../../extension/settings/config.ts';

const files = await vi.hoisted(async () => new (await import('../../support/settings-files.ts')).SettingsFiles());

vi.mock('vscode', () => ({
  workspace: { getConfiguration: files.getConfiguration },
  ConfigurationTarget: { Global: 1, Workspace: 2 },
}));

beforeEach(() => files.clear());

test('without settings, certificates are checked, and the proxy is that of the environment', () => {
  expect(networkSettings()).toEqual({ strictTls: true });
});

test("the user's proxy is used", () => {
  files.user = {
    'http.proxy': 'http://proxy.example:3128',
    'http.noProxy': ['*.internal.example'],
    'http.proxyStrictSSL': false,
  };
  expect(networkSettings()).toEqual({
    proxy: 'http://proxy.example:3128',
    noProxy: ['*.internal.example'],
    strictTls: false,
  });
});

test('no proxy is used if VS Code uses none', () => {
  files.user = { 'http.proxy': 'http://proxy.example:3128', 'http.proxySupport': 'off' };
  expect(networkSettings().noProxy).toEqual(['*']);
});

test('a workspace cannot name a proxy or turn off a check', () => {
  files.workspace = { 'http.proxy': 'http://evil.example', 'http.proxyStrictSSL': false, 'http.proxySupport': 'off' };
  expect(networkSettings()).toEqual({ strictTls: true });
});
