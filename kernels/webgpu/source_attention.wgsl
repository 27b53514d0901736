// Where a product's input comes from: the parts of attention, in order (attention.wgsl).
@group(0) @binding(3) var<storage, read> sums: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> ends: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read> batch: array<u32>;
fn source(token: u32, k4: u32) -> vec4<f32> {
  let head = (token * HEADS + k4 / (HD / 4u)) * params.max_parts;
  let n = batch[params.n + params.first + token] / 64u + 1u;
  var greatest = ends[head].x;
  for (var p = 1u; p < n; p++) { greatest = max(greatest, ends[head + p].x); }
  var l = params.zero;
  var sum = vec4<f32>(params.zero);
  for (var p = 0u; p < n; p++) {
    let factor = exp(ends[head + p].x - greatest);
    l = fma(ends[head + p].y, factor, l);
    sum = fma(sums[(head + p) * (HD / 4u) + k4 % (HD / 4u)], vec4<f32>(factor), sum);
  }
  return sum / l;
}
