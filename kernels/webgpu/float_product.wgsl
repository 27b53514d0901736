// The product of a matrix of floats and tokens, xf [token][K]. w [rows / 64][K / 4][64 rows] has vectors of four columns of a row.
// Grid (rows / 64, tokens), with one thread per row.
struct Params {
  x0: u32, y0: u32, stride: u32, n: u32, first: u32, max_parts: u32, scale: f32, eps: f32, q0: u32, n_rows: u32, zero: f32,
  bias0: u32,
}
@group(0) @binding(0) var<storage, read> w: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> params: Params;
@group(0) @binding(3) var<storage, read> xf: array<vec4<f32>>;
@group(0) @binding(10) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let at = wid.x * 64u + li;
  if (at >= params.n_rows) { return; }
  let row = row_at(at);
  var sum = vec4<f32>(params.zero);
  for (var k = 0u; k < K / 4u; k++) {
    sum = fma(w[(row / 64u * (K / 4u) + k) * 64u + row % 64u], xf[wid.y * (K / 4u) + k], sum);
  }
  let total = (sum.x + sum.y) + (sum.z + sum.w);
  let to = params.y0 + wid.y * params.stride + at;
  if (ADD == 1u) { y[to] = fma(params.scale, total, y[to]); } else { y[to] = total; }
}
