// Brackets, quotes and letters.

export const closerOf: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '${': '}', '#{': '}' };

/** Nothing but what closes something, as an editor may have inserted it. */
export const closersOnly = /^[)\]}>"'`;,\s]+$/;

// Scripts without spaces have no words that could be cut.
export const inWord = /(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}])[\p{L}\p{M}\p{N}_]/u;
