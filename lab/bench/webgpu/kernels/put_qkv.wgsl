// Applies bias and RoPE, then stores q as floats, and k and v as f16 in the caches (layouts: attention.wgsl). Pair i of a head is
// dimensions i and i + 64, which are rows r and r + 8 of a block of 16 rows of the matrix.
//   bias  [rows]
//   rope  [CONTEXT][64] (cosine, sine)
@group(0) @binding(7) var<storage, read> bias: array<f32>;
@group(0) @binding(8) var<storage, read_write> q_out: array<vec2<f32>>;
@group(0) @binding(9) var<storage, read_write> k_cache: array<u32>;
@group(0) @binding(10) var<storage, read_write> v_cache: array<u32>;
@group(0) @binding(11) var<storage, read> rope: array<vec2<f32>>;
fn put_qkv(block: u32, r: u32, token: u32, sums: vec2<f32>) {
  let a = sums + vec2<f32>(bias[block * 16u + r], bias[block * 16u + r + 8u]);
  let head = block / 8u;
  let i = (block % 8u) * 8u + r;
  let at = params.start + token;
  let cs = rope[at * 64u + i];
  let turned = vec2<f32>(fma(a.x, cs.x, -(a.y * cs.y)), fma(a.x, cs.y, a.y * cs.x));
  if (head < HEADS) {
    q_out[(token * HEADS + head) * 64u + i] = turned;
  } else if (head < HEADS + KV_HEADS) {
    k_cache[((head - HEADS) * CONTEXT + at) * 64u + i] = pack2x16float(turned);
  } else {
    v_cache[((head - HEADS - KV_HEADS) * CONTEXT + at) * 64u + i] = pack2x16float(a);
  }
}
