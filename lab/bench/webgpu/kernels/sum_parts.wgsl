// Adds up the parts of a product in order: y [token][R] = the sum of sums [PARTS][token][R].
@group(0) @binding(4) var<storage, read> sums: array<f32>;
@group(0) @binding(8) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nw: vec3<u32>,
    @builtin(local_invocation_index) li: u32) {
  let i = (wid.y * nw.x + wid.x) * 256u + li;
  if (i >= params.n * R) { return; }
  var t = 0f;
  for (var j = 0u; j < PARTS; j++) { t += sums[j * (params.n * R) + i]; }
  y[i] = t;
}
