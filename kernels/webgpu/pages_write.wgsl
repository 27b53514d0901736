// Writes a word into a layer's pages, in one binding. `at` is the word's index in the page.
@group(0) @binding(9) var<storage, read_write> pages: array<u32>;
fn put_word(page: u32, at: u32, word: u32) { pages[page * PAGE + at] = word; }
