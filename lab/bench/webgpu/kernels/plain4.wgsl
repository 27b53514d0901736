// plain_product.wgsl for Q4_K: code() returns a weight's code, add_group() adds a group's products to a sum.
fn code(row: u32, k: u32) -> i32 {
  let word = w4[((row / 8u) * G + k / 32u) * 8u + row % 8u][k % 16u / 4u];
  return i32((word >> (8u * (k % 4u) + 4u * (k % 32u / 16u))) & 15u);
}
fn add_group(sum: f32, row: u32, token: u32, g: u32) -> f32 {
  let at = row / 8u * P * 8u + row % 8u;
  let d = unpack2x16float(s4[D4 + ((row / 8u) * B + g / 8u) * 8u + row % 8u]);
  let scale = q4_scale(d, s4[at + g / 2u * 8u], g % 2u);
  return q4_add(
      sum, plain_dot(row, token, 32u * g) + plain_dot(row, token, 32u * g + 16u), scale, xd[token * G + g]);
}
