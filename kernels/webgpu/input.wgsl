// What a product reads: source_*.wgsl's floats, with an RMS norm (NORM 1) or without, as float or as int8 with a scale for
// BLOCK groups of 32 columns, as the CPU quantizes them. A thread takes groups g0 + li, g0 + li + THREADS, ... of those before g1;
// both are multiples of BLOCK, or the end.
struct Params {
  x0: u32, y0: u32, stride: u32, n: u32, first: u32, max_parts: u32, scale: f32, eps: f32, q0: u32, n_rows: u32, zero: f32,
  bias0: u32,
}
@group(0) @binding(2) var<storage, read> params: Params;
@group(0) @binding(6) var<storage, read> norm: array<vec4<f32>>;
const NG = (K + 31u) / 32u;
var<workgroup> squares: array<f32, NG>;
var<workgroup> greatest: array<u32, NG>;  // bits of absolute values, which are ordered as the values are, NaN on top
fn magnitudes(v: vec4<f32>) -> u32 {
  let b = bitcast<vec4<u32>>(v) & vec4<u32>(0x7fffffffu);
  return max(max(b.x, b.y), max(b.z, b.w));
}
fn value(token: u32, k4: u32, factor: f32) -> vec4<f32> {
  if (NORM == 1u) { return source(token, k4) * factor * norm[k4]; }
  return source(token, k4);
}
// A group, kept from one loop to the next if there is but one for a thread.
var<private> group: array<vec4<f32>, 8>;
fn load_group(token: u32, g: u32, factor: f32) {
  for (var i = 0u; i < 8u; i++) { group[i] = value(token, 8u * g + i, factor); }
}
fn prepare(token: u32, li: u32, g0: u32, g1: u32) {
  var factor = 1f;
  if (NORM == 1u) {
    for (var g = li; g < NG; g += THREADS) {
      var sum = params.zero;
      for (var i = 0u; i < 8u; i++) {
        let v = source(token, 8u * g + i);
        sum = fma(v.x, v.x, sum);
        sum = fma(v.y, v.y, sum);
        sum = fma(v.z, v.z, sum);
        sum = fma(v.w, v.w, sum);
      }
      squares[g] = sum;
    }
    workgroupBarrier();
    var sum = 0f;
    for (var g = 0u; g < NG; g++) { sum += squares[g]; }
    factor = 1f / sqrt(fma(sum, 1f / f32(K), params.eps));
  }
  if (BLOCK == 0u) {
    for (var k4 = 8u * g0 + li; k4 < min(8u * g1, K / 4u); k4 += THREADS) { store_floats(token, k4, value(token, k4, factor)); }
    return;
  }
  for (var g = g0 + li; g < min(g1, NG); g += THREADS) {
    var most = 0u;
    load_group(token, g, factor);
    for (var i = 0u; i < 8u; i++) { most = max(most, magnitudes(group[i])); }
    greatest[g] = most;
  }
  workgroupBarrier();
  for (var g = g0 + li; g < min(g1, NG); g += THREADS) {
    var most = greatest[g];
    for (var i = g / BLOCK * BLOCK; i < g / BLOCK * BLOCK + BLOCK; i++) { most = max(most, greatest[i]); }
    if (min(SPAN, NG) > THREADS) { load_group(token, g, factor); }
    let is_finite = most < 0x7f800000u;
    let a = bitcast<f32>(most);
    let k = select(0f, 127f / a, is_finite && a > 1e-30);
    var codes: Codes;
    var first = 0;
    var last = 0;
    for (var i = 0u; i < 4u; i++) {
      let p = vec4<i32>(round(group[i] * k));
      let q = vec4<i32>(round(group[4u + i] * k));
      codes.a[i] = pack4xI8(p);
      codes.b[i] = pack4xI8(q);
      first += p.x + p.y + p.z + p.w;
      last += q.x + q.y + q.z + q.w;
    }
    let d = bitcast<f32>(select(most | 0x7fc00000u, bitcast<u32>(a / 127f), is_finite));
    store_codes(token, g, codes, GroupScale(d, (u32(first) & 0xffffu) | (u32(last) << 16u)));
  }
  for (var g = max(g0, NG) + li; g < g1; g += THREADS) {
    store_codes(token, g, Codes(vec4<u32>(0u), vec4<u32>(0u)), GroupScale(0f, 0u));
  }
}
