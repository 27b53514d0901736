// Makes the input for a batch's product, with the functions in input_shared.wgsl and one workgroup
// per token.
//   out_q       [token][E] 16 codes each
//   out_d       [token][G] (scale, scale * sum of codes)
//   out_factor  [token] the RMS norm's factor
@group(0) @binding(8) var<storage, read_write> out_q: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read_write> out_d: array<vec2<f32>>;
@group(0) @binding(10) var<storage, read_write> out_factor: array<f32>;
@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) e: u32) {
  prepare(e, wid.x);
  if (e < E) { out_q[wid.x * E + e] = xq[e]; }
  if (e < G) { out_d[wid.x * G + e] = xscale(e); }
  if (e == 0u) { out_factor[wid.x] = factor(); }
}
