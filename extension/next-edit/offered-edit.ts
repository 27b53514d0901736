// The edit that is offered, and whether the user has seen, jumped to or applied it.
//
//             an answer                   Tab: goes there                 Tab: applies it
//   none ─────────────────> offered ─────────────────────> jumped ─────────────────────────> applied ──> none
//     ^                        │ near the cursor: Tab applies it at once ──────────────────────^  │
//     │  Esc, or a change      │                              │                                   │ the next answer
//     └───────────────────────────────────────────────────────┘                offered <──────────┘
//
// An offer also ends when its document is closed, when suggestions are turned off, and at the third answer in a row
// without an edit. Neither time nor a move of the cursor ends it.
import type { NextEdit } from '../../language-server/protocol/next-edit-messages.ts';
import { type Change, compare, rebased, touchesLine } from './rebase.ts';

export interface DocumentLine {
  uri: string;
  line: number;
}

interface Offered {
  kind: 'offered' | 'jumped';
  edit: NextEdit;
  /** The line of the user's edit from which this one follows. */
  basis: DocumentLine;
  /** Whether the edit is held back because there is a suggestion at the cursor. */
  isHeld: boolean;
  /**
   * Whether the edit follows from one that was just applied. The next Tab is then meant for the edit, not for a
   * suggestion.
   */
  isChained: boolean;
  /** How many successive answers without an edit were ignored since this edit was offered. */
  ignored: number;
}

/** isTabWaiting: whether the user has pressed Tab for the next edit before the answer with it came. */
type State = { kind: 'none' } | Offered | { kind: 'applied'; isTabWaiting: boolean };

/** What Tab does. */
export type Step = 'none' | 'wait' | 'go' | 'apply';

// If the edit is in view and at most this many lines away, Tab applies it without going there first.
const nearLines = 3;
/** An offer survives this many answers in a row without an edit. */
const maxIgnored = 2;

export class EditOffer {
  state: State = { kind: 'none' };

  get edit(): NextEdit | null {
    return this.offered?.edit ?? null;
  }

  /** The offer; null if it is held back. The edit's lines may be out of sight. */
  get shown(): Offered | null {
    return this.offered?.isHeld === false ? this.offered : null;
  }

  /** The documents of the edit and of the user's edit from which it follows. */
  get uris(): string[] {
    return this.offered ? [this.offered.edit.uri, this.offered.basis.uri] : [];
  }

  /**
   * Takes an answer from the server. The shown edit survives maxIgnored successive answers without an edit. Returns
   * whether Tab was waiting for the answer's edit.
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

  /** Whether the user goes from edit to edit and has typed nothing since the last edit. */
  get isChained(): boolean {
    return this.state.kind === 'applied' || this.offered?.isChained === true;
  }

  /** Lets the edit be shown. Returns whether it was held back until now. */
  release(): boolean {
    const { offered } = this;
    if (!offered?.isHeld) return false;
    this.state = { ...offered, isHeld: false };
    return true;
  }

  withdraw(): void {
    this.state = { kind: 'none' };
  }

  /** What Tab does when the cursor is in the given line. isInView: whether the edit's lines are on the screen. */
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

  /**
   * Adapts the offer to the user's changes of a document, but not to the changes that apply the edit. Returns whether
   * the user has typed a part of the edit.
   */
  follow(uri: string, changes: readonly Change[], version: number): boolean {
    const { offered } = this;
    if (this.state.kind === 'applied') this.withdraw();
    if (!offered) return false;
    const { edit, basis } = offered;
    const remaining = uri === edit.uri ? rebased(edit, changes, version) : edit;
    const isTyped = remaining !== null && remaining.oldText !== edit.oldText;
    // Lines that are inserted behind the basis may be typed there.
    if (!isTyped && uri === basis.uri && changes.some((change) => touchesLine(change, basis.line))) {
      this.withdraw();
      return false;
    }
    const line = uri === basis.uri ? lineAfter(basis.line, changes) : basis.line;
    const kept = { ...offered, basis: { ...basis, line }, isChained: false };
    this.state = remaining ? { ...kept, edit: remaining } : { kind: 'none' };
    return isTyped;
  }

  private get offered(): Offered | null {
    return this.state.kind === 'offered' || this.state.kind === 'jumped' ? this.state : null;
  }
}

/** The number of the line after the changes. */
function lineAfter(line: number, changes: readonly Change[]): number {
  const above = changes.filter(({ range }) => range.end.line < line);
  const addedLines = above.map(({ range, text }) => text.split('\n').length - 1 - (range.end.line - range.start.line));
  return addedLines.reduce((sum, lines) => sum + lines, line);
}

function isSame(a: NextEdit, b: NextEdit): boolean {
  return a.uri === b.uri && compare(a.range.start, b.range.start) === 0 && a.newText === b.newText;
}
