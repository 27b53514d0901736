// Lets the user switch with one click to the model that suits this machine best: in the menu, or in a message that
// users of the starter model get once.
import { commands, l10n, type Memento, ProgressLocation, window } from 'vscode';
import type { DownloadableModel, LocalModel } from '../../language-server/protocol/models.ts';
import { addressOf } from '../download/address.ts';
import { askAndDownload, type ChooseModelHost } from './choose-model.ts';
import { downloadModel } from './model-download.ts';
import { gigabytes } from './model-words.ts';

type Recommended = LocalModel | DownloadableModel;

const offeredKey = 'offeredRecommendedModel';

/** Switches to the recommended model. If none is recommended, shows the list. */
export async function useRecommended(host: ChooseModelHost): Promise<void> {
  const title = l10n.t('Hearth looks for the model that suits this machine');
  const model = await window.withProgress({ location: ProgressLocation.Window, title }, () => recommendedIn(host));
  if (!model) return commands.executeCommand('hearth.selectModel');
  if (!isHere(model)) return use(model, await askAndDownload(model, host), host);
  if (model.path !== host.current.path) return use(model, model.path, host);
  await window.showInformationMessage(
    l10n.t('{0} is recommended for this machine, and it is in use already.', model.name),
  );
}

/**
 * Offers the recommended model. Resolves when the user has answered. The message comes only once, whatever the answer.
 */
export async function offerRecommended(host: ChooseModelHost, memory: Memento): Promise<void> {
  if (hasOffered(memory)) return;
  await memory.update(offeredKey, true); // at once: the user may accept another suggestion meanwhile
  const model = await recommendedIn(host);
  if (!model) return memory.update(offeredKey, undefined);
  const take = isHere(model) ? l10n.t('Use It') : l10n.t('Download');
  const choose = l10n.t('Choose Model…');
  const answer = await window.showInformationMessage(`Hearth: ${offerText(model, host)}`, take, choose);
  if (answer === choose) await commands.executeCommand('hearth.selectModel');
  if (answer !== take) return;
  if (isHere(model)) return use(model, model.path, host);
  // The message has said everything that the question before a download says, unless the file has no digest.
  const download = model.file.sha256 === null ? askAndDownload : downloadModel;
  await use(model, await download(model, host), host);
}

export const hasOffered = (memory: Memento): boolean => memory.get(offeredKey, false);

const isHere = (model: Recommended): model is LocalModel => 'path' in model;

async function recommendedIn({ models, log }: ChooseModelHost): Promise<Recommended | undefined> {
  try {
    const { local, remote, recommended } = await models();
    return [...local, ...remote].find(({ id }) => id === recommended);
  } catch (error) {
    log.warn(`listing the models failed: ${String(error)}`);
    return undefined;
  }
}

function offerText(model: Recommended, { mirror }: ChooseModelHost): string {
  const { name, fileBytes, licence } = model;
  const better = l10n.t(
    'You use the starter model, which only finishes lines. {0} suits this machine and suggests better.',
    name,
  );
  if (isHere(model)) return `${better} ${l10n.t('It is on this machine already ({0}).', model.owner)}`;
  const { host } = addressOf(model.file.url, mirror);
  return `${better} ${l10n.t('Download {0} from {1} (license: {2})?', gigabytes(fileBytes), host, licence)}`;
}

/** path: undefined if the user did not download the model. */
async function use({ name }: Recommended, path: string | undefined, host: ChooseModelHost): Promise<void> {
  if (path === undefined) return;
  await host.use(path, 'completion');
  void window.showInformationMessage(l10n.t('Hearth now completes code with {0}.', name));
}
