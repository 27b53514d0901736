// The end of a product: silu(gate) * up, quantized for the next product. Gate and up are rows r and r + 8 of a block of 16
// rows, so 64 rows (RT) give 32 results, which are a group. out_q [G][2] and out_d [G] are as in input_stored.wgsl.
@group(0) @binding(8) var<storage, read_write> out_q: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read_write> out_d: array<vec2<f32>>;
var<workgroup> hs: array<f32, 32>;
var<workgroup> hsum: array<i32, 2>;
fn finish(wg: u32, li: u32) {
  if (li < 32u) {
    let b = li / 8u;
    let r = li % 8u;
    let f = factor();
    hs[li] = silu(row_sum(16u * b + r) * f, row_sum(16u * b + r + 8u) * f);
  }
  workgroupBarrier();
  var amax = 0f;
  if (li < 2u) {
    var v: array<vec4<f32>, 4>;
    for (var i = 0u; i < 32u; i++) { amax = max(amax, abs(hs[i])); }
    for (var i = 0u; i < 4u; i++) {
      let at = 16u * li + 4u * i;
      v[i] = vec4<f32>(hs[at], hs[at + 1u], hs[at + 2u], hs[at + 3u]);
    }
    let q = quantize16(v, amax);
    out_q[2u * wg + li] = q.codes;
    hsum[li] = q.sum;
  }
  workgroupBarrier();
  if (li == 0u) {
    let d = amax / 127f;
    out_d[wg] = vec2<f32>(d, d * (f32(hsum[0]) + f32(hsum[1])));
  }
}
