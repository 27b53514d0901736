// Reads a layer's pages from one binding: keys as vectors of four words, values as words. `at` is the index in the page.
@group(0) @binding(5) var<storage, read> keys: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> values: array<u32>;
fn key_words(page: u32, at: u32) -> vec4<u32> { return keys[page * (PAGE / 4u) + at]; }
fn value_word(page: u32, at: u32) -> u32 { return values[page * PAGE + at]; }
