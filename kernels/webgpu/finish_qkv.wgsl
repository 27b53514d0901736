// The end of gemv.wgsl for q, k and v of one token: adds the bias, then put.wgsl applies RoPE and stores them. A workgroup has
// RT / 2 pairs of rows of one head, i and i + HD / 2, which RoPE rotates together. params.y0 is the strip's first row among the
// rows of q, k and v; a head begins there.
fn pair_of(workgroup: u32, lane: u32) -> u32 { return workgroup * (RT / 2u) + lane % (RT / 2u); }
fn row_of(workgroup: u32, lane: u32) -> u32 {
  let pair = pair_of(workgroup, lane);
  return pair / HALF * HD + pair % HALF + lane / (RT / 2u) * HALF;
}
fn finish(wid: vec3<u32>, li: u32) {
  if (li < RT / 2u) {
    let row = params.y0 + row_of(wid.x, li);
    let sums = vec2<f32>(total_of(li), total_of(li + RT / 2u));
    put(params.n, params.q0, 0u, row, with_bias(params.bias0, row, sums));
  }
}
