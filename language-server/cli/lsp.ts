// hearth lsp --stdio: the language server, for editors other than VS Code.
import { addonInfo } from '../../native/index.ts';
import { bundledModelFolder, loadModel } from '../engine/load-model.ts';
import { Server } from '../server/server.ts';
import { type Command, engineOptions, modelPath, UsageError } from './command.ts';

export const lspCommand: Command = {
  summary: 'serve an editor over the language server protocol',
  operands: '',
  options: {
    model: engineOptions.model,
    stdio: { type: 'boolean', help: 'talk over standard input and output' },
  },
  async run(values) {
    if (!values.stdio) throw new UsageError('add --stdio: the server has no other transport');
    const bundled = { bundledModel: modelPath(values), adapterFolder: bundledModelFolder() };
    new Server({ loadModel, addonInfo, ...bundled }).connectStdio();
  },
};
