// Bias, norms of heads (NORMED), RoPE; q [token][HEADS][HD] as floats, k and v as f16 into the layer's pages. Workgroup (head,
// token), a thread for dimensions i and i + HD / 2, which RoPE turns and which share a word of a page.
//   qkv    [token][(HEADS + 2 KV_HEADS) HD]
//   batch  [n] tokens, [n] positions, [n] where the page ids of the token's sequence begin, page ids
//   rope   [position][HD / 2] (cosine, sine)
//   pages  [page][KV_HEADS][k, v][32 positions][HD / 2]; PAGE words each; how they are bound: pages_write*.wgsl
struct Params { n: u32, qkv0: u32, q0: u32, bias0: u32, norms0: u32, eps: f32 }
@group(0) @binding(2) var<storage, read> params: Params;
@group(0) @binding(3) var<storage, read> qkv: array<f32>;
@group(0) @binding(4) var<storage, read> batch: array<u32>;
@group(0) @binding(5) var<storage, read> bias: array<f32>;
@group(0) @binding(6) var<storage, read> rope: array<vec2<f32>>;
@group(0) @binding(7) var<storage, read> norms: array<f32>;  // [q, k][HD] of the layer
@group(0) @binding(8) var<storage, read_write> q: array<f32>;
const HALF = HD / 2u;
var<workgroup> squares: array<f32, HALF>;
@compute @workgroup_size(HALF)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) i: u32) {
  let head = wid.x;
  let token = wid.y;
  let column = head * HD + i;
  let at = params.qkv0 + token * ((HEADS + 2u * KV_HEADS) * HD) + column;
  var a = vec2<f32>(qkv[at], qkv[at + HALF]);
  if (BIASED == 1u) { a += vec2<f32>(bias[params.bias0 + column], bias[params.bias0 + column + HALF]); }
  let position = batch[params.n + token];
  if (head < HEADS + KV_HEADS) {
    if (NORMED == 1u) {
      squares[i] = fma(a.x, a.x, a.y * a.y);
      workgroupBarrier();
      var sum = 0f;
      for (var j = 0u; j < HALF; j++) { sum += squares[j]; }
      let factor = 1f / sqrt(fma(sum, 1f / f32(HD), params.eps));
      let norm = params.norms0 + select(0u, HD, head >= HEADS) + i;
      a = a * factor * vec2<f32>(norms[norm], norms[norm + HALF]);
    }
    let turn = rope[position * HALF + i];
    a = vec2<f32>(fma(a.x, turn.x, -(a.y * turn.y)), fma(a.x, turn.y, a.y * turn.x));
  }
  if (head < HEADS) {
    let to = params.q0 + (token * HEADS + head) * HD + i;
    q[to] = a.x;
    q[to + HALF] = a.y;
  } else {
    let page = batch[batch[2u * params.n + token] + position / 32u];
    let is_v = head >= HEADS + KV_HEADS;
    let kv = select(head - HEADS, head - HEADS - KV_HEADS, is_v);
    put_word(page, ((kv * 2u + select(0u, 1u, is_v)) * 32u + position % 32u) * HALF + i, pack2x16float(a));
  }
}
