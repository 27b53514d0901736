// Attention over one part (64 positions) of one KV head, for NR query rows. A query row is one
// query head of one token. Grid (query rows / NR, KV heads, parts). source_attention.wgsl adds up
// the parts in order. The beginning of a part, and the division of a sum among threads, depend only
// on the position and HD.
//   q     [token][HEADS][HD]
//   sums  [token][HEADS][max_parts][HD] sum of exp(score - greatest) * v
//   ends  [token][HEADS][max_parts] (greatest, sum of exp(score - greatest)); greatest is the part's greatest score
// put.wgsl describes batch and pages; pages_read*.wgsl bind the pages. A dispatch computes params.n_tokens tokens of the batch,
// from token params.first on. sums and ends begin with that token.
struct Params { n: u32, first: u32, n_tokens: u32, q0: u32, max_parts: u32, scale: f32, zero: f32 }
@group(0) @binding(2) var<storage, read> params: Params;
@group(0) @binding(3) var<storage, read> q: array<f32>;
@group(0) @binding(4) var<storage, read> batch: array<u32>;
@group(0) @binding(7) var<storage, read_write> sums: array<f32>;
@group(0) @binding(8) var<storage, read_write> ends: array<vec2<f32>>;
const HALF = HD / 2u;
const PER = HEADS / KV_HEADS;  // query heads per KV head
const W = 256u;
const WORDS = HALF / 4u;                      // vec4s of a key; an even number
const SPLIT = select(2u, 4u, WORDS % 4u == 0u);  // threads that compute one score together
var<workgroup> qs: array<vec2<f32>, NR * HALF>;  // query rows, scaled: dimensions i and i + HALF
var<workgroup> pieces: array<f32, NR * SPLIT * 64u>;  // the partial sums of a score's SPLIT threads
var<workgroup> scores: array<f32, NR * 64u>;
var<workgroup> greatest: array<f32, NR>;
var<workgroup> sixteenths: array<vec2<f32>, 4u * HALF>;  // a query row's sums over 16 positions each
var<workgroup> visible: array<u32, NR>;  // the number of the part's positions that a query row attends to
var<workgroup> pages: array<u32, 2u * NR>;  // for each query row, the pages with the first and the last 32 positions
@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let kv = wid.y;
  let part = wid.z;
  let row0 = wid.x * NR;
  if (li < 2u * NR) {
    let row = row0 + li / 2u;
    let token = params.first + min(row / PER, params.n_tokens - 1u);
    let position = batch[params.n + token];
    let first = part * 64u + li % 2u * 32u;
    pages[li] = batch[batch[2u * params.n + token] + min(first, position) / 32u];
    if (li % 2u == 0u) {
      visible[li / 2u] = select(0u, min(64u, max(position + 1u, first) - first), row < params.n_tokens * PER);
    }
  }
  for (var e = li; e < NR * HALF; e += W) {
    let row = min(row0 + e / HALF, params.n_tokens * PER - 1u);
    let at = params.q0 + ((params.first + row / PER) * HEADS + kv * PER + row % PER) * HD + e % HALF;
    qs[e] = vec2<f32>(q[at], q[at + HALF]) * params.scale;
  }
  workgroupBarrier();
  for (var e = li; e < NR * SPLIT * 64u; e += W) {
    let r = e / (SPLIT * 64u);
    let first = e / 64u % SPLIT * (WORDS / SPLIT);
    let p = e % 64u;
    var score = params.zero;
    if (p < visible[r]) {
      let page = pages[2u * r + p / 32u];
      let at = (kv * 64u + p % 32u) * WORDS + first;
      for (var i = 0u; i < WORDS / SPLIT; i++) {
        let words = key_words(page, at + i);
        for (var j = 0u; j < 4u; j++) {
          let k = unpack2x16float(words[j]);
          let a = qs[r * HALF + 4u * (first + i) + j];
          score = fma(a.x, k.x, score);
          score = fma(a.y, k.y, score);
        }
      }
    }
    pieces[e] = score;
  }
  workgroupBarrier();
  for (var e = li; e < NR * 64u; e += W) {
    let at = e / 64u * SPLIT * 64u + e % 64u;
    var score = pieces[at];
    for (var i = 1u; i < SPLIT; i++) { score += pieces[at + 64u * i]; }
    scores[e] = score;
  }
  workgroupBarrier();
  if (li < NR) {
    var m = scores[li * 64u];
    for (var p = 1u; p < visible[li]; p++) { m = max(m, scores[li * 64u + p]); }
    greatest[li] = m;
  }
  workgroupBarrier();
  for (var e = li; e < NR * 64u; e += W) {
    scores[e] = select(0f, exp(scores[e] - greatest[e / 64u]), e % 64u < visible[e / 64u]);
  }
  workgroupBarrier();
  if (li < NR && visible[li] > 0u) {
    let row = row0 + li;
    var sum = 0f;
    for (var p = 0u; p < visible[li]; p++) { sum += scores[li * 64u + p]; }
    ends[((row / PER) * HEADS + kv * PER + row % PER) * params.max_parts + part] = vec2<f32>(greatest[li], sum);
  }
  for (var r = 0u; r < NR; r++) {
    let n = visible[r];
    for (var e = li; e < 4u * HALF; e += W) {
      let first = e / HALF * 16u;
      var sum = vec2<f32>(params.zero);
      if (first < n) {
        let page = pages[2u * r + first / 32u];
        for (var i = 0u; i < 16u; i++) {
          let p = min(first + i, n - 1u);  // from n on, the weight at first + i is 0
          let word = value_word(page, (kv * 64u + 32u + p % 32u) * HALF + e % HALF);
          sum = fma(vec2<f32>(scores[r * 64u + first + i]), unpack2x16float(word), sum);
        }
      }
      sixteenths[e] = sum;
    }
    workgroupBarrier();
    let row = row0 + r;
    let to = (((row / PER) * HEADS + kv * PER + row % PER) * params.max_parts + part) * HD;
    for (var i = li; i < HALF && n > 0u; i += W) {
      let sum = sixteenths[i] + sixteenths[HALF + i] + sixteenths[2u * HALF + i] + sixteenths[3u * HALF + i];
      sums[to + i] = sum.x;
      sums[to + HALF + i] = sum.y;
    }
    workgroupBarrier();
  }
}
