// Any quantized format, as int8 with float scales. Each scale is an exact product of two numbers in the file.
//   w  [tile][group][half][lane] 16 codes
//   s  [tile][group][SCALES + MINIMA][lane] SCALES is 1, or 2 if each half of the group has its own scale; MINIMA is 0, 1 or 2
struct Raw { a: vec4<u32>, b: vec4<u32>, z: Scales }
struct Scales { d: vec2<f32>, minimum: vec2<f32> }
fn float_at(tile: u32, l: u32, g: u32, i: u32) -> f32 {
  return bitcast<f32>(s[((tile * G + g) * (SCALES + MINIMA) + i) * 8u + l]);
}
fn load_raw(tile: u32, l: u32, g: u32) -> Raw {
  let at = (tile * G + g) * 16u + l;
  var z: Scales;
  z.d = vec2<f32>(float_at(tile, l, g, 0u), float_at(tile, l, g, SCALES - 1u));
  z.minimum = vec2<f32>(0f);
  if (MINIMA > 0u) {
    z.minimum = vec2<f32>(float_at(tile, l, g, SCALES), float_at(tile, l, g, SCALES + MINIMA - 1u));
  }
  return Raw(w[at], w[at + 8u], z);
}
fn codes_of(r: Raw) -> Codes { return Codes(r.a, r.b); }
fn scales_of(r: Raw) -> Scales { return r.z; }
fn add_group(sum: f32, z: Scales, dot_a: i32, dot_b: i32, x: GroupScale) -> f32 {
  var t = sum;
  if (SCALES == 1u) {
    t = fma(f32(dot_a + dot_b), z.d.x * x.d, t);
  } else {
    t = fma(f32(dot_a), z.d.x * x.d, t);
    t = fma(f32(dot_b), z.d.y * x.d, t);
  }
  if (MINIMA == 1u) { t = fma(z.minimum.x * x.d, sum_of_both(x), t); }
  if (MINIMA == 2u) {
    t = fma(z.minimum.x * x.d, sum_of(x, 0u), t);
    t = fma(z.minimum.y * x.d, sum_of(x, 1u), t);
  }
  return t;
}
fn value_of(z: Scales, half: u32, code: i32) -> f32 { return fma(z.d[half], f32(code), z.minimum[half]); }
