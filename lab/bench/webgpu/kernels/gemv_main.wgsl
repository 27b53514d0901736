// gemv.wgsl for q, k and v if v is Q6_K: rows below R4 are Q4_K (q and k), the others Q6_K (v).
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
