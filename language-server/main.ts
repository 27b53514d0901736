// dist/server.js: the language server on stdio or node-ipc, whichever its arguments say.
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { addonInfo, loadEngine } from '../native/index.ts';
import { bundledModelPath } from './bundled-model.ts';
import { startServer } from './server.ts';

startServer(createConnection(ProposedFeatures.all), { loadEngine, addonInfo, bundledModel: bundledModelPath() });
