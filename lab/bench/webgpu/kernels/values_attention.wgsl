// The values to quantize are the result of attention: its parts (attention.wgsl), added up in order.
@group(0) @binding(4) var<storage, read> part_sums: array<vec4<f32>>;  // [token][head][part][128]
@group(0) @binding(5) var<storage, read> part_ml: array<vec2<f32>>;    // (maximum, sum)
fn values(e: u32, token: u32, v: ptr<function, array<vec4<f32>, 4>>) -> f32 {
  let head = token * HEADS + e / 8u;
  let n = (params.start + token) / 64u + 1u;
  var m = -1e30;
  for (var p = 0u; p < n; p++) { m = max(m, part_ml[head * MAX_PARTS + p].x); }
  var l = 0f;
  for (var i = 0u; i < 4u; i++) { (*v)[i] = vec4<f32>(0f); }
  for (var p = 0u; p < n; p++) {
    let at = head * MAX_PARTS + p;
    let ml = part_ml[at];
    let w = exp(ml.x - m);
    l = fma(ml.y, w, l);
    for (var i = 0u; i < 4u; i++) {
      (*v)[i] = fma(part_sums[at * 32u + (e % 8u) * 4u + i], vec4<f32>(w), (*v)[i]);
    }
  }
  for (var i = 0u; i < 4u; i++) { (*v)[i] = (*v)[i] / l; }
  return 0f;
}
fn factor() -> f32 { return 1f; }
