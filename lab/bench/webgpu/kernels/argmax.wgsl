// Finds the greatest of all logits among the maxima of the head's workgroups (head_main.wgsl), with
// one workgroup. best [N] (value, row as bits); result [1] likewise. The lowest row wins a tie.
@group(0) @binding(4) var<storage, read> best: array<vec2<f32>>;
@group(0) @binding(8) var<storage, read_write> result: array<vec2<f32>>;
var<workgroup> tops: array<vec2<f32>, 256>;
fn better(a: vec2<f32>, b: vec2<f32>) -> bool {
  return a.x > b.x || (a.x == b.x && bitcast<u32>(a.y) < bitcast<u32>(b.y));
}
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) li: u32) {
  var top = vec2<f32>(-1e30, 0f);
  for (var i = li; i < N; i += 256u) {
    if (better(best[i], top)) { top = best[i]; }
  }
  tops[li] = top;
  workgroupBarrier();
  for (var s = 128u; s > 0u; s /= 2u) {
    if (li < s && better(tops[li + s], tops[li])) { tops[li] = tops[li + s]; }
    workgroupBarrier();
  }
  if (li == 0u) { result[0] = tops[0]; }
}
