// gemv.wgsl for the head, in Q6_K: logits [R]. A workgroup computes NT tiles of RT rows, and also
// stores its greatest logit and its row in best [workgroup].
@group(0) @binding(8) var<storage, read_write> logits: array<f32>;
@group(0) @binding(9) var<storage, read_write> best: array<vec2<f32>>;  // (value, row as bits)
var<workgroup> tops: array<vec2<f32>, RT>;
@compute @workgroup_size(RT * S)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nw: vec3<u32>,
    @builtin(local_invocation_index) li: u32) {
  let wg = wid.y * nw.x + wid.x;
  let lane = li % RT;
  let p0 = (li / RT) * PS;
  var top = vec2<f32>(-1e30, 0f);
  load6((wg * NT * RT + lane) / 8u, lane % 8u, p0);
  prepare(li, token_of());
  for (var t = 0u; t < NT; t++) {
    let row = (wg * NT + t) * RT + lane;
    if (t > 0u) { load6(row / 8u, row % 8u, p0); }
    slices[li] = slice6(row / 8u, row % 8u, p0);
    workgroupBarrier();
    if (li < RT && row < R) {
      let s = row_sum(li) * factor();
      logits[row] = s;
      if (s > top.x) { top = vec2<f32>(s, bitcast<f32>(row)); }
    }
    workgroupBarrier();
  }
  if (li < RT) { tops[li] = top; }
  workgroupBarrier();
  if (li == 0u) {
    for (var i = 1u; i < RT; i++) {
      let o = tops[i];
      if (o.x > top.x || (o.x == top.x && bitcast<u32>(o.y) < bitcast<u32>(top.y))) { top = o; }
    }
    best[wg] = top;
  }
}
