// The product of a matrix and one token. A workgroup has RT rows and S slices of the columns, with
// one thread for each pair of row and slice. A thread sums its slice in order. Then the slices are
// added in order within each of SS parts, and then the parts in order, as in matmul.wgsl. S divides
// the number of pairs of groups, so no slice is empty; SS divides S.
const PS = P / S;  // pairs of groups per slice
var<workgroup> slices: array<f32, RT * S>;
fn row_sum(lane: u32) -> f32 {
  var total = 0f;
  for (var i = 0u; i < SS; i++) {
    var sum = 0f;
    for (var j = 0u; j < S / SS; j++) { sum += slices[(i * (S / SS) + j) * RT + lane]; }
    total += sum;
  }
  return total;
}
var<private> codes: array<vec4<u32>, 2u * PS>;
var<private> upper: array<vec4<u32>, PS>;
var<private> scales: array<u32, PS>;
fn load4(tile: u32, l: u32, p0: u32) {
  for (var i = 0u; i < PS; i++) {
    let at = (tile * G + 2u * (p0 + i)) * 8u + l;
    codes[2u * i] = w4[at];
    codes[2u * i + 1u] = w4[at + 8u];
    scales[i] = s4[(tile * P + p0 + i) * 8u + l];
  }
}
fn load6(tile: u32, l: u32, p0: u32) {
  for (var i = 0u; i < PS; i++) {
    let at = (tile * G + 2u * (p0 + i)) * 8u + l;
    codes[2u * i] = w6[at];
    codes[2u * i + 1u] = w6[at + 8u];
    let pair = (tile * P + p0 + i) * 8u + l;
    upper[i] = w6[H6 + pair];
    scales[i] = s6[pair];
  }
}
fn slice4(tile: u32, l: u32, p0: u32) -> f32 {
  var acc = 0f;
  for (var i = 0u; i < PS; i++) {
    let p = p0 + i;
    let d = unpack2x16float(s4[D4 + (tile * B + p / 4u) * 8u + l]);
    for (var h = 0u; h < 2u; h++) {
      let g = 2u * p + h;
      let q = q4_unpack(codes[2u * i + h]);
      acc = q4_add(
          acc, dot16(q.a, x16(2u * g)) + dot16(q.b, x16(2u * g + 1u)), q4_scale(d, scales[i], h),
          xscale(g));
    }
  }
  return acc;
}
fn slice6(tile: u32, l: u32, p0: u32) -> f32 {
  var acc = 0f;
  for (var i = 0u; i < PS; i++) {
    let p = p0 + i;
    let d = 0.25 * unpack2x16float(s6[D6 + (tile * B + p / 4u) * 8u + l]).x;
    for (var h = 0u; h < 2u; h++) {
      let g = 2u * p + h;
      let u = upper[i];
      let q = q6_unpack(codes[2u * i + h], select(u.xy, u.zw, h == 1u));
      let t = int8_of(scales[i], 2u * h) * dot16(q.a, x16(2u * g)) +
          int8_of(scales[i], 2u * h + 1u) * dot16(q.b, x16(2u * g + 1u));
      acc = q6_add(acc, t, d, xscale(g));
    }
  }
  return acc;
}
