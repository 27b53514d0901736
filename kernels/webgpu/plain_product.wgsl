// The same products as gemv.wgsl and matmul.wgsl, bit for bit, as plain loops: one thread multiplies a row by a token, column by
// column. Grid (rows / 64, tokens).
@group(0) @binding(10) var<storage, read_write> y: array<f32>;
fn plain_dot(a: vec4<u32>, b: vec4<u32>) -> i32 {
  var sum = 0;
  for (var k = 0u; k < 16u; k++) { sum += int8_of(a[k / 4u], k % 4u) * int8_of(b[k / 4u], k % 4u); }
  return sum;
}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let row = wid.x * 64u + li;
  if (row >= params.n_rows) { return; }
  var total = 0f;
  var sum = params.zero;
  for (var g = 0u; g < G; g++) {
    let raw = load_raw(row / 8u, row % 8u, g);
    let c = codes_of(raw);
    sum = add_group(
        sum, scales_of(raw), plain_dot(c.a, codes_at(wid.y, 2u * g)), plain_dot(c.b, codes_at(wid.y, 2u * g + 1u)),
        scale_at(wid.y, g));
    if ((g + 1u) % GS == 0u || g + 1u == G) {
      total += sum;
      sum = params.zero;
    }
  }
  let to = params.y0 + wid.y * params.stride + row;
  if (ADD == 1u) { y[to] = fma(params.scale, total, y[to]); } else { y[to] = total; }
}
