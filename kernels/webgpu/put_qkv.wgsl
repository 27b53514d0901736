// Adds the bias, applies the heads' norms (if NORMED is 1), and stores q, k and v with put.wgsl. Grid (heads of q, k and v;
// tokens), with one thread for dimensions i and i + HD / 2.
//   qkv  [token][(HEADS + 2 KV_HEADS) HD]
struct Params { n: u32, qkv0: u32, q0: u32, bias0: u32, norms0: u32, eps: f32 }
@group(0) @binding(2) var<storage, read> params: Params;
@group(0) @binding(3) var<storage, read> qkv: array<f32>;
@group(0) @binding(7) var<storage, read> norms: array<f32>;  // the layer's [q, k][HD] begin at params.norms0
var<workgroup> squares: array<f32, HALF>;
@compute @workgroup_size(HALF)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) i: u32) {
  let head = wid.x;
  let row = head * HD + i;
  let at = params.qkv0 + wid.y * ((HEADS + 2u * KV_HEADS) * HD) + row;
  var a = with_bias(params.bias0, row, vec2<f32>(qkv[at], qkv[at + HALF]));
  if (NORMED == 1u && head < HEADS + KV_HEADS) {
    squares[i] = fma(a.x, a.x, a.y * a.y);
    workgroupBarrier();
    var sum = 0f;
    for (var j = 0u; j < HALF; j++) { sum += squares[j]; }
    let factor = 1f / sqrt(fma(sum, 1f / f32(HD), params.eps));
    let norm = params.norms0 + select(0u, HD, head >= HEADS) + i;
    a = a * factor * vec2<f32>(norms[norm], norms[norm + HALF]);
  }
  put(params.n, params.q0, wid.y, row, a);
}
