// plain_product.wgsl for Q6_K: code() returns a weight's code times 4, add_group() adds a group's products to a sum.
fn code(row: u32, k: u32) -> i32 {
  let tile = row / 8u;
  let low =
      w6[(tile * G + k / 32u) * 8u + row % 8u][k % 16u / 4u] >> (8u * (k % 4u) + 4u * (k % 32u / 16u)) &
      15u;
  let high = w6[H6 + (tile * P + k / 64u) * 8u + row % 8u][k % 64u / 16u] >>
          (8u * (k % 4u) + 2u * (k % 16u / 4u)) &
      3u;
  return 4 * extractBits(i32(low | high << 4u), 0u, 6u);  // two's complement
}
fn add_group(sum: f32, row: u32, token: u32, g: u32) -> f32 {
  let scales = s6[((row / 8u) * P + g / 2u) * 8u + row % 8u];
  let d = 0.25 * unpack2x16float(s6[D6 + ((row / 8u) * B + g / 8u) * 8u + row % 8u]).x;
  let h = 2u * (g % 2u);
  let dot = int8_of(scales, h) * plain_dot(row, token, 32u * g) +
      int8_of(scales, h + 1u) * plain_dot(row, token, 32u * g + 16u);
  return q6_add(sum, dot, d, xd[token * G + g]);
}
