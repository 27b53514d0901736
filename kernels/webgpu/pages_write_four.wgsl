// The same as pages_write.wgsl, for up to four bindings of PAGES pages each.
@group(0) @binding(9) var<storage, read_write> pages_0: array<u32>;
@group(0) @binding(12) var<storage, read_write> pages_1: array<u32>;
@group(0) @binding(13) var<storage, read_write> pages_2: array<u32>;
@group(0) @binding(14) var<storage, read_write> pages_3: array<u32>;
fn put_word(page: u32, at: u32, word: u32) {
  let i = page % PAGES * PAGE + at;
  switch page / PAGES {
    case 0u: { pages_0[i] = word; }
    case 1u: { pages_1[i] = word; }
    case 2u: { pages_2[i] = word; }
    default: { pages_3[i] = word; }
  }
}
