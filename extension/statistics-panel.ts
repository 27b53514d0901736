// "Show Statistics": one page per window, rendered again each time it becomes visible.
import { type Disposable, env, l10n, ViewColumn, type WebviewPanel, window } from 'vscode';
import type { StatisticsFile } from './statistics-file.ts';
import { type PageMessage, statisticsPage } from './statistics-page.ts';

export class StatisticsPanel implements Disposable {
  private panel: WebviewPanel | undefined;

  constructor(private readonly statistics: StatisticsFile) {}

  show(): void {
    this.panel ??= this.createPanel();
    this.draw();
    this.panel.reveal();
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private createPanel(): WebviewPanel {
    const title = l10n.t('Hearth Statistics');
    const panel = window.createWebviewPanel('hearth.statistics', title, ViewColumn.Active, { enableScripts: true });
    panel.webview.onDidReceiveMessage((message: PageMessage) => {
      if (message === 'reset') void this.reset();
    });
    let wasVisible = true;
    panel.onDidChangeViewState(() => {
      if (panel.visible && !wasVisible) this.draw();
      wasVisible = panel.visible;
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    return panel;
  }

  private async reset(): Promise<void> {
    const reset = l10n.t('Reset');
    const question = l10n.t("Reset Hearth's statistics?");
    const chosen = await window.showWarningMessage(
      question,
      { modal: true, detail: l10n.t("All counts will be deleted. You can't undo this.") },
      reset,
    );
    if (chosen !== reset) return;
    try {
      this.statistics.reset();
    } catch (error) {
      void window.showErrorMessage(l10n.t('The statistics could not be deleted: {0}', String(error)));
    }
    this.draw();
  }

  private draw(): void {
    if (this.panel) this.panel.webview.html = statisticsPage(this.statistics.all(), new Date(), env.language);
  }
}
