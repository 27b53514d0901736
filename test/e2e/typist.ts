// A simulated person who works through a session of related edits: types an edit, waits, and accepts each offer that
// belongs to the session with Tab. The other edits are typed. Records everything typed and shown, and takes pictures.
import { appendFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { applied, differenceOf, type EditSession, editsBetween, keysOf, type SessionEdit } from './edit-session.ts';
import { EditedFile } from './edited-file.ts';
import type { Workbench } from './workbench.ts';

const keyMs = 60;
/** How long the person waits for an offer after the last key, and after an answer that offers nothing. */
const patienceMs = 10_000;
const afterAnswerMs = 3000;
/** Each look takes processor time away from the model. */
const pollMs = 200;
/** How long the person looks at an offer. */
const readMs = 1500;

interface TypistOptions {
  /** The path of the file that is edited. */
  path: string;
  /** The folder for pictures and notes. */
  results: string;
  hearthLog(): string;
}

export class Typist {
  private readonly name: string;
  private readonly file: EditedFile;
  private text: string;
  private left: SessionEdit[];
  private pictures = 0;

  constructor(
    private readonly bench: Workbench,
    private readonly options: TypistOptions,
    { text, edits }: EditSession,
  ) {
    this.name = basename(options.path);
    this.file = new EditedFile(bench, options.path);
    this.text = text;
    this.left = edits;
  }

  async work(): Promise<void> {
    this.note(`\n## ${this.name}\n`);
    while (this.left.length > 0) {
      await this.type();
      while (await this.take());
    }
  }

  private async type(): Promise<void> {
    const edit = this.left.shift() as SessionEdit;
    const { start, end, typed } = keysOf(edit);
    const line = this.text.split('\n').indexOf(edit.old);
    await this.bench.press('Control+Home', ...Array(line).fill('ArrowDown'), ...Array(start).fill('ArrowRight'));
    await this.bench.press(...Array(end - start).fill('Shift+ArrowRight'));
    for (const [i, row] of typed.split('\n').entries()) {
      if (i > 0) await this.bench.press('Enter');
      const words = i > 0 ? row.trimStart() : row;
      const indentation = row.slice(0, row.length - words.length);
      if (indentation) await this.bench.page.keyboard.insertText(indentation);
      await this.bench.page.keyboard.type(words, { delay: keyMs });
    }
    this.text = applied(this.text, edit) ?? this.text;
    this.note(`typed: ${edit.old.trim()} → ${edit.now.trim()}`);
  }

  /** Waits for an offer and accepts it. Undoes it if it is not among the remaining edits. Returns whether it is. */
  private async take(): Promise<boolean> {
    const shown = await this.awaitOffer();
    if (shown === undefined) {
      this.check(await this.saved());
      return false;
    }
    this.note(`  shown after ${shown.ms} ms: ${JSON.stringify(shown.drawn)}`);
    await this.picture('offer');
    await this.look(shown.drawn);
    const before = await this.saved();
    this.check(before);
    let after = before;
    let tabs = 0;
    for (; after === before && tabs < 2; tabs++) {
      if (tabs > 0) await this.picture('jumped');
      await this.bench.press('Tab');
      await sleep(500);
      after = await this.saved();
    }
    const found = editsBetween(before, after, this.left);
    const verdict = found.length > 0 ? `right (${found.length})` : 'OTHER';
    this.note(`  ${tabs} x Tab, ${verdict}: ${differenceOf(before, after)}`);
    if (found.length > 0) {
      this.text = after;
      this.left = this.left.filter((edit) => !found.includes(edit));
      return true;
    }
    await this.bench.press('Control+z', 'Escape');
    const undone = await this.saved();
    if (undone !== before) this.note(`  NOT UNDONE: ${differenceOf(before, undone)}`);
    return false;
  }

  private async awaitOffer(): Promise<{ drawn: string[]; ms: number } | undefined> {
    const start = performance.now();
    const answered = this.answers().length;
    let [ghost, answerAt] = ['', Number.POSITIVE_INFINITY];
    for (let ms = 0; ms < patienceMs && ms < answerAt + afterAnswerMs; await sleep(pollMs)) {
      const drawn = await this.file.drawn();
      ms = Math.round(performance.now() - start);
      if (drawn.length > 0) return { drawn, ms };
      const now = await this.bench.shownGhostText();
      if (now !== ghost) this.note(`  ghost text after ${ms} ms: ${JSON.stringify(now)}`);
      ghost = now;
      if (this.answers().length > answered) answerAt = Math.min(answerAt, ms);
    }
    this.note(`  nothing: ${this.answers().slice(answered).join(', ')}`);
    await this.picture('silent');
    if (ghost === '') return undefined;
    await this.bench.press('Escape');
    await sleep(readMs);
    const drawn = await this.file.drawn();
    if (drawn.length > 0) this.note('  shown only after Esc');
    return drawn.length > 0 ? { drawn, ms: patienceMs } : undefined;
  }

  /** What Hearth has answered in this file so far, from its log. */
  private answers(): string[] {
    return [...this.options.hearthLog().matchAll(/next edit at (\S+?):\d+:\d+: (.*)/g)].flatMap(
      ([, name, answer = '']) => (name === this.name ? [answer] : []),
    );
  }

  /** Records every change on the screen while the person reads the offer. */
  private async look(drawn: string[]): Promise<void> {
    let last = JSON.stringify(drawn);
    for (const start = performance.now(); performance.now() - start < readMs; await sleep(pollMs)) {
      const now = JSON.stringify(await this.file.drawn());
      if (now !== last) this.note(`  CHANGED after ${Math.round(performance.now() - start)} ms: ${now}`);
      last = now;
    }
  }

  /** Records the text in the file that was not typed. */
  private check(text: string): void {
    if (text !== this.text) this.note(`  NOT AS TYPED: ${differenceOf(this.text, text)}`);
    this.text = text;
  }

  private async saved(): Promise<string> {
    await this.bench.press('Control+s');
    await sleep(600);
    return await this.bench.savedText();
  }

  private async picture(what: string): Promise<void> {
    const number = String(++this.pictures).padStart(2, '0');
    await this.bench.page.screenshot({ path: join(this.options.results, `${this.name}-${number}-${what}.png`) });
  }

  private note(line: string): void {
    console.log(line);
    appendFileSync(join(this.options.results, 'sessions.md'), `${line}\n`);
  }
}
