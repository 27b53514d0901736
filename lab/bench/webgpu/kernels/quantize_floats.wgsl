// Quantizes h [token][G][32] to out_q [token][G][2] and out_d [token][G] (scale, scale * sum of codes), one thread per group.
@group(0) @binding(4) var<storage, read> h: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> out_q: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read_write> out_d: array<vec2<f32>>;
@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nw: vec3<u32>,
    @builtin(local_invocation_index) li: u32) {
  let g = (wid.y * nw.x + wid.x) * 64u + li;
  if (g >= params.n * G) { return; }
  var a: array<vec4<f32>, 4>;
  var b: array<vec4<f32>, 4>;
  for (var i = 0u; i < 4u; i++) {
    a[i] = h[8u * g + i];
    b[i] = h[8u * g + 4u + i];
  }
  let amax = max(amax16(a), amax16(b));
  let qa = quantize16(a, amax);
  let qb = quantize16(b, amax);
  out_q[2u * g] = qa.codes;
  out_q[2u * g + 1u] = qb.codes;
  let d = amax / 127f;
  out_d[g] = vec2<f32>(d, d * (f32(qa.sum) + f32(qb.sum)));
}
