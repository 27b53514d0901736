// Sets the context keys that Vim for VS Code sets. In the modes in which Vim binds Tab and Esc, Hearth must leave them.
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
