// The input of one token. Each workgroup prepares the whole input in its own memory.
const THREADS = RT * S;
const SPAN = G;
var<workgroup> xq: array<vec4<u32>, 2u * G>;
var<workgroup> xd: array<GroupScale, G>;
fn store_codes(token: u32, g: u32, codes: Codes, d: GroupScale) {
  xq[2u * g] = codes.a;
  xq[2u * g + 1u] = codes.b;
  xd[g] = d;
}
fn store_floats(token: u32, k4: u32, v: vec4<f32>) {}
fn prepared(token: u32, li: u32) {
  prepare(token, li, 0u, G);
  workgroupBarrier();
}
fn codes_at(token: u32, i: u32) -> vec4<u32> { return xq[i]; }
fn scale_at(token: u32, g: u32) -> GroupScale { return xd[g]; }
