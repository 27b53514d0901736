// Attention of a part: 64 positions of one key head, for NR rows; a row is a query head of a token. Grid (rows / NR, key heads,
// parts). source_attention.wgsl adds the parts in order. Where a part begins depends on the position alone.
//   q     [token][HEADS][HD]; batch and pages: put_qkv.wgsl; how pages are bound: pages_read*.wgsl
//   sums  [token][HEADS][max_parts][HD] sum of exp(score - greatest) * v; ends likewise (greatest, sum of exp(score - greatest))
// Tokens of this launch are first, first + 1, ... of the batch; sums and ends begin with the first.
struct Params { n: u32, first: u32, n_tokens: u32, q0: u32, max_parts: u32, scale: f32, zero: f32 }
@group(0) @binding(2) var<storage, read> params: Params;
@group(0) @binding(3) var<storage, read> q: array<f32>;
@group(0) @binding(4) var<storage, read> batch: array<u32>;
@group(0) @binding(7) var<storage, read_write> sums: array<f32>;
@group(0) @binding(8) var<storage, read_write> ends: array<vec2<f32>>;
const HALF = HD / 2u;
const PER = HEADS / KV_HEADS;
const W = 64u;
var<workgroup> qs: array<vec2<f32>, NR * HALF>;
var<workgroup> scores: array<f32, NR * 64u>;
var<workgroup> greatest: array<f32, NR>;
// How many of the part's positions a row attends to.
fn n_visible(row: u32, part: u32) -> u32 {
  if (row >= params.n_tokens * PER) { return 0u; }
  let position = batch[params.n + params.first + row / PER];
  return min(64u, max(position + 1u, part * 64u) - part * 64u);
}
fn page_of(row: u32, position: u32) -> u32 {
  return batch[batch[2u * params.n + params.first + row / PER] + position / 32u];
}
@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let kv = wid.y;
  let part = wid.z;
  let row0 = wid.x * NR;
  for (var e = li; e < NR * HALF; e += W) {
    let row = min(row0 + e / HALF, params.n_tokens * PER - 1u);
    let at = params.q0 + ((params.first + row / PER) * HEADS + kv * PER + row % PER) * HD + e % HALF;
    qs[e] = vec2<f32>(q[at], q[at + HALF]) * params.scale;
  }
  workgroupBarrier();
  for (var e = li; e < NR * 64u; e += W) {
    let r = e / 64u;
    let p = e % 64u;
    var score = params.zero;
    if (p < n_visible(row0 + r, part)) {
      let position = part * 64u + p;
      let page = page_of(row0 + r, position);
      let at = (kv * 64u + position % 32u) * (HALF / 4u);
      for (var i = 0u; i < HALF / 4u; i++) {
        let words = key_words(page, at + i);
        for (var j = 0u; j < 4u; j++) {
          let k = unpack2x16float(words[j]);
          let a = qs[r * HALF + 4u * i + j];
          score = fma(a.x, k.x, score);
          score = fma(a.y, k.y, score);
        }
      }
    }
    scores[e] = score;
  }
  workgroupBarrier();
  if (li < NR) {
    let n = n_visible(row0 + li, part);
    var m = scores[li * 64u];
    for (var p = 1u; p < n; p++) { m = max(m, scores[li * 64u + p]); }
    greatest[li] = m;
  }
  workgroupBarrier();
  for (var e = li; e < NR * 64u; e += W) { scores[e] = exp(scores[e] - greatest[e / 64u]); }
  workgroupBarrier();
  if (li < NR) {
    let row = row0 + li;
    let n = n_visible(row, part);
    var sum = 0f;
    for (var p = 0u; p < n; p++) { sum += scores[li * 64u + p]; }
    if (n > 0u) { ends[((row / PER) * HEADS + kv * PER + row % PER) * params.max_parts + part] = vec2<f32>(greatest[li], sum); }
  }
  for (var e = li; e < NR * HALF; e += W) {
    let row = row0 + e / HALF;
    let n = n_visible(row, part);
    if (n > 0u) {
      var sum = vec2<f32>(params.zero);
      var page = 0u;
      for (var p = 0u; p < n; p++) {
        if (p % 32u == 0u) { page = page_of(row, part * 64u + p); }
        let word = value_word(page, (kv * 64u + 32u + p % 32u) * HALF + e % HALF);
        sum = fma(vec2<f32>(scores[e / HALF * 64u + p]), unpack2x16float(word), sum);
      }
      let to = (((row / PER) * HEADS + kv * PER + row % PER) * params.max_parts + part) * HD + e % HALF;
      sums[to] = sum.x;
      sums[to + HALF] = sum.y;
    }
  }
}
