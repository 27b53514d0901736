// The text of "Show Status": first sentences for the user, then the lines of `hearth doctor` for a bug report.
import { l10n } from 'vscode';
import type { ServerStatus } from '../../language-server/protocol/messages.ts';
import { starterText, summary } from './status-text.ts';

type Model = NonNullable<ServerStatus['model']>;

/** report: the doctor's lines, or the reason why there are none. */
export function statusReport(status: ServerStatus, report: string): string {
  const parts = [
    [l10n.t('For you'), '', ...sentences(status, report)],
    [l10n.t('For a report'), '', report.trimEnd()],
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n\n')}\n`;
}

function sentences(status: ServerStatus, report: string): string[] {
  const { model, explainModel, isStarter, last, settingProblems = [] } = status;
  const lines = report.split('\n');
  const broken = lines.flatMap((line) => /^BROKEN +(.*)/.exec(line)?.[1] ?? []);
  return [
    l10n.t('Hearth: {0}.', summary(status)),
    ...(model ? [l10n.t('Code is completed by {0}.', model.name), placeText(model), ...trialText(model)] : []),
    ...(isStarter ? [`${starterText()} ${l10n.t('"Hearth: Use Recommended Model" gets a better one.')}`] : []),
    ...(explainModel ? [l10n.t('Code is explained by {0}.', explainModel.name)] : []),
    ...(last ? [l10n.t('The last answer was written by {0} in {1} ms.', last.model, last.latencyMs.toFixed(0))] : []),
    ...settingProblems,
    ...broken.map((what) => l10n.t('This does not work: {0}', what)),
    ...(broken.length === 0 && lines.some((line) => /^ok /.test(line)) ? [l10n.t('All checks have passed.')] : []),
  ];
}

function trialText({ device, gpuTrial }: Model): string[] {
  if (gpuTrial === undefined) return [];
  const { figures, problem = '' } = gpuTrial;
  if (figures === undefined) return [l10n.t('Your GPU was tried and is not in use: {0}.', problem)];
  const { reading, writing, isFaster } = figures;
  const use =
    device === 'gpu' ? l10n.t('in use') : isFaster ? l10n.t('in use from the next start') : l10n.t('not in use');
  const factors = [reading, writing].map((factor) => factor.toFixed(1));
  return [l10n.t("Your GPU was tried: reading {0} times, writing {1} times the CPU's speed: {2}.", ...factors, use)];
}

function placeText({ device, fallbackReason }: Model): string {
  if (device === 'server') return l10n.t("It runs on your team's server.");
  if (device === 'gpu') return l10n.t('It runs on the GPU of this computer.');
  const why = fallbackReason === '' ? '' : ` ${l10n.t('No GPU or server is used: {0}.', fallbackReason)}`;
  return l10n.t('It runs on the processor of this computer.') + why;
}
