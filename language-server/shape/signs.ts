// Brackets, quotes and letters.

export const closerOf: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '${': '}', '#{': '}' };

/** Only closing brackets, quotes and the like, which the editor may have inserted. */
export const closersOnly = /^[)\]}>"'`;,\s]+$/;

// A letter of a word. Scripts that are written without spaces do not count, since no word can be split there.
export const inWord = /(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}])[\p{L}\p{M}\p{N}_]/u;
