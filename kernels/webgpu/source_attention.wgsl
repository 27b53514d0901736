// A product's input is the result of attention: its parts (attention.wgsl) are added up in order.
@group(0) @binding(3) var<storage, read> sums: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> ends: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read> batch: array<u32>;
var<workgroup> heads: array<vec2<f32>, HEADS>;  // (greatest score, sum of weights)
fn n_parts(token: u32) -> u32 { return batch[params.n + params.first + token] / 64u + 1u; }
fn ready(token: u32, li: u32) {
  let n = n_parts(token);
  for (var h = li; h < HEADS; h += THREADS) {
    let at = (token * HEADS + h) * params.max_parts;
    var most = ends[at].x;
    for (var p = 1u; p < n; p++) { most = max(most, ends[at + p].x); }
    var l = params.zero;
    for (var p = 0u; p < n; p++) {
      let end = ends[at + p];
      l = fma(end.y, exp(end.x - most), l);
    }
    heads[h] = vec2<f32>(most, l);
  }
}
fn source(token: u32, k4: u32) -> vec4<f32> {
  let h = k4 / (HD / 4u);
  let head = (token * HEADS + h) * params.max_parts;
  let n = n_parts(token);
  var sum = vec4<f32>(params.zero);
  for (var p = 0u; p < n; p++) {
    let factor = exp(ends[head + p].x - heads[h].x);
    sum = fma(sums[(head + p) * (HD / 4u) + k4 % (HD / 4u)], vec4<f32>(factor), sum);
  }
  return sum / heads[h].y;
}
