// The argmax of one range (4,096 logits of a row of logits), as the RangeArgmax of range_argmax.h. Grid (ranges, rows).
struct Params { logits0: u32, n_vocab: u32, n_ranges: u32, row0: u32 }
@group(0) @binding(2) var<storage, read> params: Params;
@group(0) @binding(3) var<storage, read> logits: array<f32>;
@group(0) @binding(4) var<storage, read_write> ranges: array<vec4<u32>>;
var<workgroup> best: array<f32, 256>;
var<workgroup> ids: array<u32, 256>;
var<workgroup> wrong: array<u32, 256>;  // 1 if the thread has found NaN or infinity
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let first = wid.x * 4096u;
  let n = min(4096u, params.n_vocab - first);
  let at = params.logits0 + wid.y * params.n_vocab + first;
  var top = -3.4e38;
  var id = min(li, n - 1u);
  var is_wrong = 0u;
  for (var i = li; i < n; i += 256u) {
    let v = logits[at + i];
    if ((bitcast<u32>(v) & 0x7f800000u) == 0x7f800000u) { is_wrong = 1u; }
    if (v > top) {
      top = v;
      id = i;
    }
  }
  best[li] = top;
  ids[li] = id;
  wrong[li] = is_wrong;
  workgroupBarrier();
  for (var m = 128u; m > 0u; m /= 2u) {
    if (li < m) {
      let other = best[li + m];
      if (other > best[li] || (other == best[li] && ids[li + m] < ids[li])) {
        best[li] = other;
        ids[li] = ids[li + m];
      }
      wrong[li] |= wrong[li + m];
    }
    workgroupBarrier();
  }
  let greatest = best[0];
  let greatest_id = ids[0];
  workgroupBarrier();
  var sum = 0f;
  for (var i = li; i < n; i += 256u) { sum += exp(logits[at + i] - greatest); }
  best[li] = sum;
  workgroupBarrier();
  for (var m = 128u; m > 0u; m /= 2u) {
    if (li < m) { best[li] += best[li + m]; }
    workgroupBarrier();
  }
  if (li == 0u) {
    ranges[wid.y * params.n_ranges + wid.x] =
        vec4<u32>(bitcast<u32>(greatest), first + greatest_id, bitcast<u32>(best[0]), 1u - wrong[0]);
  }
}
