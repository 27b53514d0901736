// matmul.wgsl for Q6_K. A scale in sw is d / 4 and two int8 scales, each for 16 columns. These are in the low 16 bits of a float
// between 1 and 2, because a GPU is allowed to flush subnormal floats to 0.
fn fetch_codes(i: u32, tile: u32, l: u32, g: u32) {
  fw[i] = w6[(tile * G + g) * 8u + l];
  let u = w6[H6 + (tile * P + g / 2u) * 8u + l];
  fh[i] = select(u.xy, u.zw, (g & 1u) == 1u);
}
fn fetch_scales(i: u32, tile: u32, l: u32, p: u32) {
  fs[i] = s6[(tile * P + p) * 8u + l];
  fd[i] = s6[D6 + (tile * B + p / 4u) * 8u + l];
}
fn unpack(i: u32) -> Codes { return q6_unpack(fw[i], fh[i]); }
fn scale_of(i: u32, h: u32) -> vec2<f32> {
  return vec2<f32>(
      0.25 * unpack2x16float(fd[i]).x, bitcast<f32>(0x3f800000u | extractBits(fs[i], 16u * h, 16u)));
}
fn dots(a: vec4<u32>, b: vec4<u32>, xa: vec4<u32>, xb: vec4<u32>, d: vec2<f32>) -> i32 {
  let s = bitcast<u32>(d.y);
  return int8_of(s, 0u) * dot16(a, xa) + int8_of(s, 1u) * dot16(b, xb);
}
fn add(sum: f32, dot: i32, d: vec2<f32>, x: vec2<f32>) -> f32 { return q6_add(sum, dot, d.x, x); }
