// Q6_K.
//   w  [tile][group][lane] the low four bits of 32 codes, as in Q4_K;
//      from W2 on, [tile][pair of groups][lane] their upper two bits, one word for 16 columns
//   s  [tile][pair of groups][lane] four int8 scales, each for 16 columns;
//      from S2 on, [tile][super-block][lane] d as f16
// codes_of() puts the six bits of a code at the top of an int8. This multiplies the code by 4, so scales_of() divides d by 4.
struct Raw { q: vec4<u32>, high: vec2<u32>, scales: u32, d: u32 }
struct Scales { d: f32, scales: u32 }
fn load_raw(tile: u32, l: u32, g: u32) -> Raw {
  let high = w[W2 + (tile * (G / 2u) + g / 2u) * 8u + l];
  return Raw(
      w[(tile * G + g) * 8u + l], select(high.xy, high.zw, g % 2u == 1u),
      s[(tile * (G / 2u) + g / 2u) * 8u + l] >> (16u * (g % 2u)), s[S2 + (tile * (G / 8u) + g / 8u) * 8u + l]);
}
fn codes_of(r: Raw) -> Codes {
  let up = vec4<u32>(6u, 4u, 2u, 0u);
  let low = vec4<u32>(0x3c3c3c3cu);
  let high = vec4<u32>(0xc0c0c0c0u);
  return Codes(
      ((r.q << vec4<u32>(2u)) & low) | ((vec4<u32>(r.high.x) << up) & high),
      ((r.q >> vec4<u32>(2u)) & low) | ((vec4<u32>(r.high.y) << up) & high));
}
fn scales_of(r: Raw) -> Scales { return Scales(0.25 * unpack2x16float(r.d).x, r.scales); }
fn add_group(sum: f32, z: Scales, dot_a: i32, dot_b: i32, x: GroupScale) -> f32 {
  return fma(f32(int8_of(z.scales, 0u) * dot_a + int8_of(z.scales, 1u) * dot_b), z.d * x.d, sum);
}
fn value_of(z: Scales, half: u32, code: i32) -> f32 { return z.d * f32(int8_of(z.scales, half) * code); }
