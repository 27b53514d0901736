// Like Vim for VS Code, binds Tab and Esc by these context keys, so Hearth leaves the keys alone in the same way.
const { commands } = require('vscode');

exports.activate = ({ subscriptions }) => {
  const modes = { normal: 'Normal', insert: 'Insert', off: '' };
  for (const [name, mode] of Object.entries(modes))
    subscriptions.push(
      commands.registerCommand(`vimTest.${name}`, async () => {
        await commands.executeCommand('setContext', 'vim.active', mode !== '');
        await commands.executeCommand('setContext', 'vim.mode', mode);
      }),
    );
};
