// Counts, by language, the files that parsed before a text was accepted but no longer do afterwards.
import { print } from '../../../language-server/cli/command.ts';
import type { EvalAnswer, FimCase } from '../eval-score.ts';
import { Syntax } from './syntax.ts';

export interface SyntaxFigures {
  /** The number of texts shown in files whose language has a parser on this machine. */
  shown: number;
  /** The number of texts whose file parsed without the text. */
  sound: number;
  /** The number of texts whose file has more errors with the text than without it. */
  broken: number;
  /** The number of texts whose file parses only with the text. */
  mended: number;
}

export class SyntaxTable {
  private readonly syntax = new Syntax();
  private readonly rows = new Map<string, SyntaxFigures>();

  async add(
    { language, prefix, suffix, middle }: FimCase,
    { text, replaces }: Pick<EvalAnswer, 'text' | 'replaces'>,
  ): Promise<void> {
    // If the file does not parse even with its author's own text, the parser cannot judge it.
    if (text === '' || (await this.syntax.errors(language, prefix + middle + suffix)) !== 0) return;
    const before = await this.syntax.errors(language, prefix + suffix);
    const after = await this.syntax.errors(language, prefix + text + suffix.slice(replaces));
    if (before === null || after === null) return;
    const row = this.rows.get(language) ?? { shown: 0, sound: 0, broken: 0, mended: 0 };
    row.shown++;
    row.sound += Number(before === 0);
    row.broken += Number(after > before);
    row.mended += Number(before > 0 && after === 0);
    this.rows.set(language, row);
  }

  figures(): Record<string, SyntaxFigures> {
    const all = { shown: 0, sound: 0, broken: 0, mended: 0 };
    for (const row of this.rows.values())
      for (const key of ['shown', 'sound', 'broken', 'mended'] as const) all[key] += row[key];
    return { all, ...Object.fromEntries(this.rows) };
  }

  print(): void {
    const row = (cells: (string | number)[]) => cells.map((cell) => String(cell).padStart(9)).join('');
    print(`\n${'syntax'.padEnd(16)}${row(['shown', 'parsed', 'broken', '', 'mended'])}`);
    for (const [name, { shown, sound, broken, mended }] of Object.entries(this.figures()))
      print(
        name.padEnd(16) + row([shown, sound, broken, `${((100 * broken) / Math.max(1, shown)).toFixed(1)} %`, mended]),
      );
  }

  close(): void {
    this.syntax.close();
  }
}
