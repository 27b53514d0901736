// Applies RoPE to q and k, then stores q [token][HEADS][HD] as floats, and k and v as f16 in the layer's pages. RoPE rotates
// dimensions i and i + HD / 2 together; in a page, they are in one word.
//   batch  for each of the n tokens its id; then for each its position; then for each the index in `batch` of its sequence's page
//          ids; then all page ids
//   rope   [position][HD / 2] (cosine, sine)
//   pages  [page][KV_HEADS][k, v][32 positions][HD / 2] words, PAGE words per page; pages_write*.wgsl bind them
@group(0) @binding(4) var<storage, read> batch: array<u32>;
@group(0) @binding(5) var<storage, read> bias: array<f32>;
@group(0) @binding(8) var<storage, read_write> q: array<f32>;
@group(0) @binding(15) var<storage, read> rope: array<vec2<f32>>;
const HALF = HD / 2u;
// a has the products for rows `row` and row + HALF of the stacked matrix of q, k and v.
fn with_bias(bias0: u32, row: u32, a: vec2<f32>) -> vec2<f32> {
  if (BIASED == 0u) { return a; }
  return a + vec2<f32>(bias[bias0 + row], bias[bias0 + row + HALF]);
}
fn put(n: u32, q0: u32, token: u32, row: u32, value: vec2<f32>) {
  let head = row / HD;
  let i = row % HD;
  let position = batch[n + token];
  var a = value;
  if (head < HEADS + KV_HEADS) {
    let turn = rope[position * HALF + i];
    a = vec2<f32>(fma(a.x, turn.x, -(a.y * turn.y)), fma(a.x, turn.y, a.y * turn.x));
  }
  if (head < HEADS) {
    let to = q0 + (token * HEADS + head) * HD + i;
    q[to] = a.x;
    q[to + HALF] = a.y;
  } else {
    let page = batch[batch[2u * n + token] + position / 32u];
    let is_v = head >= HEADS + KV_HEADS;
    let kv = select(head - HEADS, head - HEADS - KV_HEADS, is_v);
    put_word(page, ((kv * 2u + select(0u, 1u, is_v)) * 32u + position % 32u) * HALF + i, pack2x16float(a));
  }
}
