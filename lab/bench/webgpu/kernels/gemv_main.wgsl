// gemv.wgsl for a matrix that is Q4_K up to row R4 and Q6_K from there on (v after q and k).
@compute @workgroup_size(RT * S)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nw: vec3<u32>,
    @builtin(local_invocation_index) li: u32) {
  let wg = wid.y * nw.x + wid.x;
  let lane = li % RT;
  let p0 = (li / RT) * PS;
  let row = wg * RT + lane;
  let l = row % 8u;
  let is6 = wg * RT >= R4;
  let tile = select(row / 8u, (row - R4) / 8u, is6);
  if (is6) {
    load6(tile, l, p0);
  } else {
    load4(tile, l, p0);
  }
  prepare(li, 0u);
  var sum = 0f;
  if (is6) {
    sum = slice6(tile, l, p0);
  } else {
    sum = slice4(tile, l, p0);
  }
  slices[li] = sum;
  workgroupBarrier();
  finish(wg, li);
}
