// The product of a matrix and one token. Grid (rows / RT, tokens). A workgroup has RT rows, each divided into S slices of GS groups
// (the last slice can be shorter), and one thread per row and slice. A thread adds up its slice in order; then the slices' sums are
// added up in order, as in matmul.wgsl. finish_*.wgsl chooses the rows (row_of) and stores their sums (finish).
var<workgroup> slices: array<f32, RT * S>;
var<private> raw: array<Raw, GS>;
fn total_of(lane: u32) -> f32 {
  var total = 0f;
  for (var i = 0u; i < S; i++) { total += slices[i * RT + lane]; }
  return total;
}
@compute @workgroup_size(RT * S)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let row = row_of(wid.x, li % RT);
  let g0 = li / RT * GS;
  for (var i = 0u; i < GS; i++) {
    if (g0 + i < G) { raw[i] = load_raw(row / 8u, row % 8u, g0 + i); }
  }
  prepared(wid.y, li);
  var sum = params.zero;
  for (var i = 0u; i < GS; i++) {
    if (g0 + i < G) {
      let g = g0 + i;
      let c = codes_of(raw[i]);
      sum = add_group(
          sum, scales_of(raw[i]), dot16(c.a, codes_at(wid.y, 2u * g)), dot16(c.b, codes_at(wid.y, 2u * g + 1u)),
          scale_at(wid.y, g));
    }
  }
  slices[li] = sum;
  workgroupBarrier();
  finish(wid, li);
}
