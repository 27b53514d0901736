// The input of tokens, as prepare.wgsl has stored it: codes xq [token][G][2], 16 in each, and scales xd [token][G].
struct Params {
  x0: u32, y0: u32, stride: u32, n: u32, first: u32, max_parts: u32, scale: f32, eps: f32, q0: u32, n_rows: u32, zero: f32,
  bias0: u32,
}
@group(0) @binding(2) var<storage, read> params: Params;
@group(0) @binding(3) var<storage, read> xq: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> xd: array<GroupScale>;
fn prepared(token: u32, li: u32) {}
fn codes_at(token: u32, i: u32) -> vec4<u32> { return xq[token * (2u * G) + i]; }
fn scale_at(token: u32, g: u32) -> GroupScale { return xd[token * G + g]; }
