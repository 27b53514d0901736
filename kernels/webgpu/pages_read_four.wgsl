// The same as pages_read.wgsl, for up to four bindings of PAGES pages each.
@group(0) @binding(5) var<storage, read> keys_0: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> values_0: array<u32>;
@group(0) @binding(12) var<storage, read> keys_1: array<vec4<u32>>;
@group(0) @binding(13) var<storage, read> values_1: array<u32>;
@group(0) @binding(14) var<storage, read> keys_2: array<vec4<u32>>;
@group(0) @binding(15) var<storage, read> values_2: array<u32>;
@group(0) @binding(16) var<storage, read> keys_3: array<vec4<u32>>;
@group(0) @binding(17) var<storage, read> values_3: array<u32>;
fn key_words(page: u32, at: u32) -> vec4<u32> {
  let i = page % PAGES * (PAGE / 4u) + at;
  switch page / PAGES {
    case 0u: { return keys_0[i]; }
    case 1u: { return keys_1[i]; }
    case 2u: { return keys_2[i]; }
    default: { return keys_3[i]; }
  }
}
fn value_word(page: u32, at: u32) -> u32 {
  let i = page % PAGES * PAGE + at;
  switch page / PAGES {
    case 0u: { return values_0[i]; }
    case 1u: { return values_1[i]; }
    case 2u: { return values_2[i]; }
    default: { return values_3[i]; }
  }
}
