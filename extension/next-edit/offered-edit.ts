// The edit that is offered, and how far the user has gone with it.
//
//             an answer                   Tab: goes there                 Tab: applies it
//   none ─────────────────> offered ─────────────────────> jumped ─────────────────────────> applied ──> none
//     ^                        │ near the cursor: Tab applies it at once ──────────────────────^  │
//     │  Esc, or a change      │                              │                                   │ the next answer
//     └───────────────────────────────────────────────────────┘                offered <──────────┘
//
// Neither time nor a move of the cursor ends an offer. A document that is closed does, and so do suggestions that are turned
// off, and the third answer in a row that has no edit.
import type { NextEdit } from '../../language-server/protocol/next-edit-messages.ts';
import { type Change, compare, rebased, touchesLine } from './rebase.ts';

export interface DocumentLine {
  uri: string;
  line: number;
}

interface Offered {
  kind: 'offered' | 'jumped';
  edit: NextEdit;
  /** Where the user made the edit that this one follows from. */
  basis: DocumentLine;
  /** Not until the suggestion at the cursor has gone. */
  isHeld: boolean;
  /** It follows from one that was just applied: another Tab is for it, not for a suggestion. */
  isChained: boolean;
  /** How many other edits the user has made since, from which nothing else follows. */
  ignored: number;
}

/** isTabWaiting: Tab was pressed for the next edit before it was there. */
type State = { kind: 'none' } | Offered | { kind: 'applied'; isTabWaiting: boolean };

/** What Tab does. */
export type Step = 'none' | 'wait' | 'go' | 'apply';

// Within sight and so near that nobody needs to be taken there first.
const nearLines = 3;
const maxIgnored = 2;

export class EditOffer {
  state: State = { kind: 'none' };

  get edit(): NextEdit | null {
    return this.offered?.edit ?? null;
  }

  /** What the user sees, or would see if it were in sight. */
  get shown(): Offered | null {
    return this.offered?.isHeld === false ? this.offered : null;
  }

  /** Of the documents of the edit and of the one that it follows from. */
  get uris(): string[] {
    return this.offered ? [this.offered.edit.uri, this.offered.basis.uri] : [];
  }

  /**
   * An answer of the server. Without another edit, the one that is shown stays for a while. Returns whether Tab has waited
   * for this edit.
   */
  set(edit: NextEdit | null, basis: DocumentLine): boolean {
    const { shown, state } = this;
    const isChained = state.kind === 'applied';
    if (edit && shown && isSame(edit, shown.edit)) this.state = { ...shown, edit, basis, ignored: 0 };
    else if (edit) this.state = { kind: 'offered', edit, basis, isHeld: true, isChained, ignored: 0 };
    else if (shown && shown.ignored < maxIgnored) this.state = { ...shown, ignored: shown.ignored + 1 };
    else this.withdraw();
    return edit !== null && isChained && state.isTabWaiting;
  }

  /** Whether the user goes from edit to edit, and has typed nothing since the last one. */
  get isChained(): boolean {
    return this.state.kind === 'applied' || this.offered?.isChained === true;
  }

  /** Returns whether it was held until now. */
  release(): boolean {
    const { offered } = this;
    if (!offered?.isHeld) return false;
    this.state = { ...offered, isHeld: false };
    return true;
  }

  withdraw(): void {
    this.state = { kind: 'none' };
  }

  /** isInView: whether the edit's lines are on the screen. */
  step(cursor: DocumentLine, isInView: boolean): Step {
    if (this.state.kind === 'applied') return 'wait';
    const { shown } = this;
    if (!shown) return 'none';
    const { uri, range } = shown.edit;
    const isThere = cursor.uri === uri && range.start.line <= cursor.line && cursor.line <= range.end.line;
    const distance = Math.max(range.start.line - cursor.line, cursor.line - range.end.line);
    const isNear = cursor.uri === uri && isInView && distance <= nearLines;
    return isThere || isNear ? 'apply' : 'go';
  }

  jumped(): void {
    if (this.state.kind === 'offered') this.state = { ...this.state, kind: 'jumped' };
  }

  applied(): void {
    this.state = { kind: 'applied', isTabWaiting: false };
  }

  tabWaits(): void {
    if (this.state.kind === 'applied') this.state = { ...this.state, isTabWaiting: true };
  }

  /** Call with each change of a document that is not the edit itself. Returns whether it has made a part of the edit. */
  follow(uri: string, changes: readonly Change[], version: number): boolean {
    const { offered } = this;
    if (this.state.kind === 'applied') this.withdraw();
    if (!offered) return false;
    const { edit, basis } = offered;
    if (uri === basis.uri && changes.some((change) => touchesLine(change, basis.line))) {
      this.withdraw();
      return false;
    }
    const left = uri === edit.uri ? rebased(edit, changes, version) : edit;
    const line = uri === basis.uri ? lineAfter(basis.line, changes) : basis.line;
    const goesOn = { ...offered, basis: { ...basis, line }, isChained: false };
    this.state = left ? { ...goesOn, edit: left } : { kind: 'none' };
    return left !== null && left.oldText !== edit.oldText;
  }

  private get offered(): Offered | null {
    return this.state.kind === 'offered' || this.state.kind === 'jumped' ? this.state : null;
  }
}

function lineAfter(line: number, changes: readonly Change[]): number {
  const above = changes.filter(({ range }) => range.end.line < line);
  const grown = above.map(({ range, text }) => text.split('\n').length - 1 - (range.end.line - range.start.line));
  return grown.reduce((sum, lines) => sum + lines, line);
}

function isSame(a: NextEdit, b: NextEdit): boolean {
  return a.uri === b.uri && compare(a.range.start, b.range.start) === 0 && a.newText === b.newText;
}
