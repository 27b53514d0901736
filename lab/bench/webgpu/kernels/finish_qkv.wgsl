// The end of a product: bias, RoPE and storing in the caches (put_qkv.wgsl).
fn finish(wg: u32, li: u32) {
  if (li < RT / 2u) {
    let b = li / 8u;
    let r = li % 8u;
    let f = factor();
    put_qkv(wg * (RT / 16u) + b, r, 0u, vec2<f32>(row_sum(16u * b + r) * f, row_sum(16u * b + r + 8u) * f));
  }
}
