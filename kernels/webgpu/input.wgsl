// Prepares a product's input: takes the floats from source_*.wgsl, applies an RMS norm if NORM is 1, and stores them as floats, or
// as int8 with one scale per BLOCK groups of 32 columns, quantized as on the CPU. prepare() does this for groups g0 to g1 - 1 of
// a token, at most SPAN groups; g0 and g1 are multiples of BLOCK, except that g1 can be G. A thread handles the four columns from
// 4 * k4 on, and neighbouring threads handle neighbouring columns.
struct Params {
  x0: u32, y0: u32, stride: u32, n: u32, first: u32, max_parts: u32, scale: f32, eps: f32, q0: u32, n_rows: u32, zero: f32,
  bias0: u32,
}
@group(0) @binding(2) var<storage, read> params: Params;
@group(0) @binding(6) var<storage, read> norm: array<vec4<f32>>;
const K4 = K / 4u;
const LANES = 128u;  // the number of partial sums of squares, which is fixed so that the bits do not depend on THREADS
const BLOCK4 = 8u * max(BLOCK, 1u);
const BLOCKS = (8u * SPAN + BLOCK4 - 1u) / BLOCK4;
var<workgroup> lanes: array<f32, LANES>;
var<workgroup> eighths: array<f32, 16>;
var<workgroup> greatest: array<atomic<u32>, BLOCKS>;  // the bits of absolute values, which sort like the values; NaN is greatest
var<workgroup> words: array<u32, 8u * SPAN>;          // four codes in each
var<private> held: array<vec4<f32>, (8u * SPAN + THREADS - 1u) / THREADS>;
fn magnitudes(v: vec4<f32>) -> u32 {
  let b = bitcast<vec4<u32>>(v) & vec4<u32>(0x7fffffffu);
  return max(max(b.x, b.y), max(b.z, b.w));
}
fn value(token: u32, k4: u32, factor: f32) -> vec4<f32> {
  if (NORM == 1u) { return source(token, k4) * factor * norm[k4]; }
  return source(token, k4);
}
fn norm_factor(token: u32, li: u32) -> f32 {
  for (var l = li; l < LANES; l += THREADS) {
    var sum = params.zero;
    for (var k4 = l; k4 < K4; k4 += LANES) {
      let v = source(token, k4);
      sum = fma(v.x, v.x, sum);
      sum = fma(v.y, v.y, sum);
      sum = fma(v.z, v.z, sum);
      sum = fma(v.w, v.w, sum);
    }
    lanes[l] = sum;
  }
  workgroupBarrier();
  for (var i = li; i < 16u; i += THREADS) {
    var sum = 0f;
    for (var j = 0u; j < 8u; j++) { sum += lanes[16u * j + i]; }
    eighths[i] = sum;
  }
  workgroupBarrier();
  var sum = 0f;
  for (var i = 0u; i < 16u; i++) { sum += eighths[i]; }
  return 1f / sqrt(fma(sum, 1f / f32(K), params.eps));
}
fn word4(g: u32, i: u32) -> vec4<u32> {
  let at = 8u * g + i;
  return vec4<u32>(words[at], words[at + 1u], words[at + 2u], words[at + 3u]);
}
fn sum_of_codes(w: vec4<u32>) -> u32 { return u32(dot16(w, vec4<u32>(0x01010101u))); }
fn prepare(token: u32, li: u32, g0: u32, g1: u32) {
  for (var b = li; b < BLOCKS; b += THREADS) { atomicStore(&greatest[b], 0u); }
  ready(token, li);
  workgroupBarrier();
  var factor = 1f;
  if (NORM == 1u) { factor = norm_factor(token, li); }
  if (BLOCK == 0u) {
    for (var k4 = 8u * g0 + li; k4 < min(8u * g1, K4); k4 += THREADS) { store_floats(token, k4, value(token, k4, factor)); }
    return;
  }
  let n = 8u * (g1 - g0);
  for (var e = li; e < n; e += THREADS) {
    let k4 = 8u * g0 + e;
    var v = vec4<f32>(0f);
    if (k4 < K4) { v = value(token, k4, factor); }
    held[e / THREADS] = v;
    atomicMax(&greatest[e / BLOCK4], magnitudes(v));
  }
  workgroupBarrier();
  for (var e = li; e < n; e += THREADS) {
    let most = atomicLoad(&greatest[e / BLOCK4]);
    let a = bitcast<f32>(most);
    let k = select(0f, 127f / a, most < 0x7f800000u && a > 1e-30);
    words[e] = pack4xI8(vec4<i32>(round(held[e / THREADS] * k)));
  }
  workgroupBarrier();
  for (var g = li; g < g1 - g0; g += THREADS) {
    let most = atomicLoad(&greatest[8u * g / BLOCK4]);
    let d = bitcast<f32>(select(most | 0x7fc00000u, bitcast<u32>(bitcast<f32>(most) / 127f), most < 0x7f800000u));
    let codes = Codes(word4(g, 0u), word4(g, 4u));
    store_codes(token, g0 + g, codes, GroupScale(d, (sum_of_codes(codes.a) & 0xffffu) | (sum_of_codes(codes.b) << 16u)));
  }
}
