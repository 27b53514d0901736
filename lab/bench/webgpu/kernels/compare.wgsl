// Counts the words that differ between a [N] and b [N].
@group(0) @binding(4) var<storage, read> a: array<u32>;
@group(0) @binding(5) var<storage, read> b: array<u32>;
@group(0) @binding(8) var<storage, read_write> differ: array<atomic<u32>>;
@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nw: vec3<u32>,
    @builtin(local_invocation_index) li: u32) {
  let i = (wid.y * nw.x + wid.x) * 256u + li;
  if (i < N && a[i] != b[i]) { atomicAdd(& differ[0], 1u); }
}
