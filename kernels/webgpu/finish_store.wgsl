// The end of gemv.wgsl: y [token][row] = the sum or, if ADD is 1, y += params.scale * the sum.
@group(0) @binding(10) var<storage, read_write> y: array<f32>;
fn row_of(workgroup: u32, lane: u32) -> u32 { return row_at(workgroup * RT + lane); }
fn finish(wid: vec3<u32>, li: u32) {
  let at = wid.x * RT + li;
  if (li < RT && at < params.n_rows) {
    let total = total_of(li);
    let to = params.y0 + wid.y * params.stride + at;
    if (ADD == 1u) { y[to] = fma(params.scale, total, y[to]); } else { y[to] = total; }
  }
}
