// The input for a product with one token. Each workgroup quantizes it for itself. values_*.wgsl
// gives the floats. Thread e prepares columns 16 e to 16 e + 15.
const E = K / 16u;
var<workgroup> xq: array<vec4<u32>, E>;
var<workgroup> xd: array<vec2<f32>, E>;  // (scale, sum of codes) of 16 columns
var<workgroup> xm: array<f32, E>;
var<workgroup> xss: array<f32, E>;
var<workgroup> xss8: array<f32, (E + 7u) / 8u>;
fn x16(c: u32) -> vec4<u32> { return xq[c]; }
fn xscale(g: u32) -> vec2<f32> {
  let a = xd[2u * g];
  return vec2<f32>(a.x, a.x * (a.y + xd[2u * g + 1u].y));
}
fn prepare(e: u32, token: u32) {
  var v: array<vec4<f32>, 4>;
  var ss = 0f;
  if (e < E) {
    ss = values(e, token, & v);
    xm[e] = amax16(v);
    xss[e] = ss;
  }
  workgroupBarrier();
  if (e < E) {
    let amax = max(xm[e], xm[e ^ 1u]);
    let q = quantize16(v, amax);
    xq[e] = q.codes;
    xd[e] = vec2<f32>(amax / 127f, f32(q.sum));
    if (e < (E + 7u) / 8u) {
      var s = 0f;
      for (var i = 8u * e; i < min(8u * e + 8u, E); i++) { s += xss[i]; }
      xss8[e] = s;
    }
  }
  workgroupBarrier();
}
