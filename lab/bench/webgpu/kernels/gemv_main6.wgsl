// gemv.wgsl for a matrix in Q6_K.
@compute @workgroup_size(RT * S)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nw: vec3<u32>,
    @builtin(local_invocation_index) li: u32) {
  let wg = wid.y * nw.x + wid.x;
  let lane = li % RT;
  let p0 = (li / RT) * PS;
  let row = wg * RT + lane;
  load6(row / 8u, row % 8u, p0);
  prepare(li, 0u);
  slices[li] = slice6(row / 8u, row % 8u, p0);
  workgroupBarrier();
  finish(wg, li);
}
