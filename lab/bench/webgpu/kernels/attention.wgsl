// Attention over one part, 64 positions of one key head, for NR query rows (one per query head and
// token). Grid (query rows / NR, key heads, parts). A thread computes quarter c of a sum: first of
// the score at position p, then of the value's pair of dimensions p.
//   q          [token][HEADS][64] pairs of dimensions; pair i of a head is dimensions i and i + 64
//   k_cache    [KV_HEADS][CONTEXT][64] pairs of f16; v_cache likewise
//   part_sums  [token][HEADS][MAX_PARTS][128] sum of exp(score - maximum) * v
//   part_ml    [token][HEADS][MAX_PARTS] (maximum, sum of exp(score - maximum))
// values_attention.wgsl adds up the parts in order. Where a part begins depends only on the position.
@group(0) @binding(4) var<storage, read> q: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read> k_cache: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> v_cache: array<u32>;
@group(0) @binding(8) var<storage, read_write> part_sums: array<f32>;
@group(0) @binding(9) var<storage, read_write> part_ml: array<vec2<f32>>;
const PER = HEADS / KV_HEADS;
var<workgroup> qs: array<vec2<f32>, NR * 64u>;
var<workgroup> red: array<vec2<f32>, 4u * NR * 64u>;
var<workgroup> ps: array<f32, NR * 64u>;
var<workgroup> ml: array<vec2<f32>, NR>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let kv = wid.y;
  let part = wid.z;
  let row0 = wid.x * NR;
  let rows = params.n * PER;
  let p = li % 64u;
  let c = li / 64u;
  let last = params.start + (min(row0 + NR, rows) - 1u) / PER;
  if (part * 64u > last) { return; }
  for (var e = li; e < NR * 64u; e += 256u) {
    let row = min(row0 + e / 64u, rows - 1u);
    qs[e] = q[((row / PER) * HEADS + kv * PER + row % PER) * 64u + e % 64u] * SCALE;
  }
  var k: array<vec2<f32>, 16>;
  let at = (kv * CONTEXT + part * 64u + p) * 16u + 4u * c;
  for (var i = 0u; i < 4u; i++) {
    let w = k_cache[at + i];
    k[4u * i] = unpack2x16float(w.x);
    k[4u * i + 1u] = unpack2x16float(w.y);
    k[4u * i + 2u] = unpack2x16float(w.z);
    k[4u * i + 3u] = unpack2x16float(w.w);
  }
  workgroupBarrier();
  for (var r = 0u; r < NR; r++) {
    var s = 0f;
    for (var i = 0u; i < 16u; i++) {
      let a = qs[r * 64u + 16u * c + i];
      s = fma(a.x, k[i].x, s);
      s = fma(a.y, k[i].y, s);
    }
    red[(c * NR + r) * 64u + p] = vec2<f32>(s, 0f);
  }
  workgroupBarrier();
  for (var e = li; e < NR * 64u; e += 256u) {
    let s = (red[e].x + red[NR * 64u + e].x) + (red[2u * NR * 64u + e].x + red[3u * NR * 64u + e].x);
    let row = min(row0 + e / 64u, rows - 1u);
    ps[e] = select(-1e30, s, part * 64u + e % 64u <= params.start + row / PER);
  }
  workgroupBarrier();
  if (li < NR) {
    var m = -1e30;
    for (var i = 0u; i < 64u; i++) { m = max(m, ps[li * 64u + i]); }
    ml[li] = vec2<f32>(m, 0f);
  }
  workgroupBarrier();
  for (var e = li; e < NR * 64u; e += 256u) {
    let s = ps[e];
    ps[e] = select(0f, exp(s - ml[e / 64u].x), s > -1e29);
  }
  workgroupBarrier();
  if (li < NR) {
    var l = 0f;
    for (var i = 0u; i < 64u; i++) { l += ps[li * 64u + i]; }
    let row = row0 + li;
    if (row < rows) {
      part_ml[((row / PER) * HEADS + kv * PER + row % PER) * MAX_PARTS + part] = vec2<f32>(ml[li].x, l);
    }
  }
  var acc: array<vec2<f32>, NR>;
  for (var r = 0u; r < NR; r++) { acc[r] = vec2<f32>(0f); }
  for (var i = 0u; i < 16u; i++) {
    let v = unpack2x16float(v_cache[(kv * CONTEXT + part * 64u + 16u * c + i) * 64u + p]);
    for (var r = 0u; r < NR; r++) { acc[r] = fma(vec2<f32>(ps[r * 64u + 16u * c + i]), v, acc[r]); }
  }
  for (var r = 0u; r < NR; r++) { red[(c * NR + r) * 64u + p] = acc[r]; }
  workgroupBarrier();
  for (var e = li; e < NR * 64u; e += 256u) {
    let s = (red[e] + red[NR * 64u + e]) + (red[2u * NR * 64u + e] + red[3u * NR * 64u + e]);
    let row = row0 + e / 64u;
    if (row < rows) {
      let o = (((row / PER) * HEADS + kv * PER + row % PER) * MAX_PARTS + part) * 128u + e % 64u;
      part_sums[o] = s.x;
      part_sums[o + 64u] = s.y;
    }
  }
}
