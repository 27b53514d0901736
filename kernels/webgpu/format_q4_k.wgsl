// Q4_K.
//   w  [tile][group][lane] 32 codes in four words: columns 0 to 15 in the low nibbles, 16 to 31 in the high ones
//   s  [tile][pair of groups][lane] a scale and a minimum for each of the two groups, one byte each;
//      from S2 on, [tile][super-block][lane] d and dmin as f16
struct Raw { q: vec4<u32>, scales: u32, d: u32 }
struct Scales { d: f32, minimum: f32 }
fn load_raw(tile: u32, l: u32, g: u32) -> Raw {
  return Raw(
      w[(tile * G + g) * 8u + l], s[(tile * (G / 2u) + g / 2u) * 8u + l] >> (16u * (g % 2u)),
      s[S2 + (tile * (G / 8u) + g / 8u) * 8u + l]);
}
fn codes_of(r: Raw) -> Codes {
  return Codes(r.q & vec4<u32>(0x0f0f0f0fu), (r.q >> vec4<u32>(4u)) & vec4<u32>(0x0f0f0f0fu));
}
fn scales_of(r: Raw) -> Scales {
  let d = unpack2x16float(r.d);
  return Scales(d.x * byte_of(r.scales, 0u), -(d.y * byte_of(r.scales, 1u)));
}
fn add_group(sum: f32, z: Scales, dot_a: i32, dot_b: i32, x: GroupScale) -> f32 {
  return fma(z.minimum * x.d, sum_of_both(x), fma(f32(dot_a + dot_b), z.d * x.d, sum));
}
fn value_of(z: Scales, half: u32, code: i32) -> f32 { return fma(z.d, f32(code), z.minimum); }
