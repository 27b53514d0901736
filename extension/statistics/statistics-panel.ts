// "Show Statistics": one page per window. Each run of the command renders it again.
import { type Disposable, env, l10n, ViewColumn, type WebviewPanel, window } from 'vscode';
import type { Statistics } from './statistics.ts';
import { type PageMessage, statisticsPage } from './statistics-page.ts';

export class StatisticsPanel implements Disposable {
  private panel: WebviewPanel | undefined;

  constructor(private readonly statistics: Statistics) {}

  show(): void {
    this.panel ??= this.createPanel();
    this.panel.webview.html = statisticsPage(this.statistics.read(), new Date(), env.language);
    this.panel.reveal();
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private createPanel(): WebviewPanel {
    const title = l10n.t('Hearth Statistics');
    const panel = window.createWebviewPanel('hearth.statistics', title, ViewColumn.Active, { enableScripts: true });
    panel.webview.onDidReceiveMessage((message: PageMessage) => message === 'reset' && this.reset());
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    return panel;
  }

  private async reset(): Promise<void> {
    const detail = l10n.t("All counts will be deleted. You can't undo this.");
    const reset = l10n.t('Reset');
    const question = l10n.t("Reset Hearth's statistics?");
    if ((await window.showWarningMessage(question, { modal: true, detail }, reset)) !== reset) return;
    try {
      this.statistics.reset();
    } catch (error) {
      void window.showErrorMessage(l10n.t('The statistics could not be deleted: {0}', String(error)));
    }
    this.show();
  }
}
