// The product of a matrix and a token: y [row] = or += it. A workgroup has RT rows by S slices of GS groups (the last one may be
// shorter), a thread for each. A thread sums its slice in order, then the slices are added in order, as in matmul.wgsl.
// Grid (rows / RT, tokens).
@group(0) @binding(10) var<storage, read_write> y: array<f32>;
var<workgroup> slices: array<f32, RT * S>;
var<private> raw: array<Raw, GS>;
@compute @workgroup_size(RT * S)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let at = wid.x * RT + li % RT;
  let row = row_at(at);
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
  if (li < RT && at < params.n_rows) {
    var total = 0f;
    for (var i = 0u; i < S; i++) { total += slices[i * RT + li]; }
    let to = params.y0 + wid.y * params.stride + at;
    if (ADD == 1u) { y[to] = fma(params.scale, total, y[to]); } else { y[to] = total; }
  }
}
