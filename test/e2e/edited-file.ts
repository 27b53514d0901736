// The file in which next edits are tested. Edits it with keys, and reads the texts that the editor draws into it.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Workbench } from './workbench.ts';

export class EditedFile {
  constructor(
    private readonly bench: Workbench,
    private readonly path: string,
  ) {}

  /**
   * The texts that the editor draws beside the code: an edit's new words, or the hint for an edit that is out of sight.
   */
  async drawn(): Promise<string[]> {
    const contents = await this.bench.page.evaluate<string[]>(
      `[...document.querySelectorAll('.editor-instance .view-lines span')]
        .flatMap((span) => ['::before', '::after'].map((side) => getComputedStyle(span, side).content))`,
    );
    const texts = contents.filter((text) => /^".+"$/.test(text)).map((text) => text.slice(1, -1));
    return [...new Set(texts.map((text) => text.replaceAll('\u00a0', ' ')))];
  }

  offered(): Promise<unknown> {
    return expect.poll(() => this.drawn()).not.toEqual([]);
  }

  /** Replaces the whole text. This change is so large that no next edit follows from it. */
  async start(text: string): Promise<void> {
    await this.bench.press('Control+1', 'Control+Home');
    await this.bench.setText(text);
    await sleep(2000); // text typed within 1.5 s would count as part of this change
  }

  /** Puts the cursor before the first occurrence of a word, with keys. */
  async goTo(word: string): Promise<void> {
    const before = readFileSync(this.path, 'utf8').split(word)[0]?.split('\n') ?? [];
    await this.bench.press('Control+Home');
    for (let line = 1; line < before.length; line++) await this.bench.press('ArrowDown');
    for (let i = 0; i < (before.at(-1)?.length ?? 0); i++) await this.bench.press('ArrowRight');
  }

  /** Replaces a word at its first occurrence, by selecting it and typing. */
  async rename(old: string, now: string): Promise<void> {
    await this.goTo(old);
    for (let i = 0; i < old.length; i++) await this.bench.press('Shift+ArrowRight');
    await this.bench.type(now);
  }

  /** The cursor's position, such as "Ln 1, Col 1". */
  cursor(): Promise<string | null> {
    return this.bench.page.getByText(/^Ln \d+, Col \d+$/).textContent();
  }
}

/** A file of 60 lines that uses the name at the beginning and near the end. */
export function farApart(name: string): string {
  return `let ${name} = 1;\n\n${Array.from({ length: 55 }, (_, i) => `step${i}();\n`).join('')}\nconsole.log(${name});\n`;
}
