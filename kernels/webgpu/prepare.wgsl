// Prepares and stores the input of products (input.wgsl): as int8 in xq and xd (layouts: input_stored.wgsl), or as floats in
// xf [token][K]. Grid (tokens, G / SPAN): a workgroup prepares SPAN groups of a token.
@group(0) @binding(7) var<storage, read_write> xq: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> xd: array<GroupScale>;
@group(0) @binding(9) var<storage, read_write> xf: array<vec4<f32>>;
fn store_codes(token: u32, g: u32, codes: Codes, d: GroupScale) {
  let at = (params.first + token) * G + g;
  xq[2u * at] = codes.a;
  xq[2u * at + 1u] = codes.b;
  xd[at] = d;
}
fn store_floats(token: u32, k4: u32, v: vec4<f32>) { xf[params.y0 / 4u + (params.first + token) * (K / 4u) + k4] = v; }
@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  prepare(wid.x, li, wid.y * SPAN, min((wid.y + 1u) * SPAN, G));
}
