// The same as embed.wgsl, for a table of floats in the layout of float_product.wgsl.
struct Params { row0: u32, n_rows: u32, x0: u32 }
@group(0) @binding(0) var<storage, read> w: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> params: Params;
@group(0) @binding(3) var<storage, read> batch: array<u32>;
@group(0) @binding(4) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let row = batch[wid.x] - params.row0;
  if (row >= params.n_rows) { return; }
  for (var k = li; k < K; k += 64u) {
    x[params.x0 + wid.x * K + k] = w[(row / 64u * (K / 4u) + k / 4u) * 64u + row % 64u][k % 4u];
  }
}
