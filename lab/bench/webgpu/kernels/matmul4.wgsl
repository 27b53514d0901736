// matmul.wgsl for Q4_K.
fn fetch_codes(i: u32, tile: u32, l: u32, g: u32) { fw[i] = w4[(tile * G + g) * 8u + l]; }
fn fetch_scales(i: u32, tile: u32, l: u32, p: u32) {
  fs[i] = s4[(tile * P + p) * 8u + l];
  fd[i] = s4[D4 + (tile * B + p / 4u) * 8u + l];
}
fn unpack(i: u32) -> Codes { return q4_unpack(fw[i]); }
fn scale_of(i: u32, h: u32) -> vec2<f32> { return q4_scale(unpack2x16float(fd[i]), fs[i], h); }
fn dots(a: vec4<u32>, b: vec4<u32>, xa: vec4<u32>, xb: vec4<u32>, d: vec2<f32>) -> i32 {
  return dot16(a, xa) + dot16(b, xb);
}
fn add(sum: f32, dot: i32, d: vec2<f32>, x: vec2<f32>) -> f32 { return q4_add(sum, dot, d, x); }
