// Packed weights of R rows and K columns. A tile is 8 rows; lane l of a tile is row l, so that neighbouring threads read
// neighbouring words. A group is 32 columns, a pair is two groups, a super-block is eight groups. A row has G groups, P pairs and
// B super-blocks.
//   Q4_K  w4  [tile][group][lane] 32 codes in four words: columns 0 to 15 in the low nibbles, 16 to 31 in the high ones
//         s4  [tile][pair][lane] scale and minimum of both groups, one byte each;
//             from D4 on, [tile][super-block][lane] d and dmin as f16
//   Q6_K  w6  [tile][group][lane] the low four bits of 32 codes, likewise;
//             from H6 on, [tile][pair][lane] the upper two bits, one word for 16 columns
//         s6  [tile][pair][lane] four int8 scales, each for 16 columns;
//             from D6 on, [tile][super-block][lane] d as f16
// q6_unpack() puts the six bits of a code at the top of an int8, which multiplies it by 4, so d is divided by 4.
@group(0) @binding(0) var<storage, read> w4: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> s4: array<u32>;
@group(0) @binding(2) var<storage, read> w6: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> s6: array<u32>;
const P = G / 2u;
const B = G / 8u;
fn dot16(a: vec4<u32>, b: vec4<u32>) -> i32 {
  return dot4I8Packed(a.x, b.x) + dot4I8Packed(a.y, b.y) + dot4I8Packed(a.z, b.z) + dot4I8Packed(a.w, b.w);
}
struct Codes { a: vec4<u32>, b: vec4<u32> }  // 32 columns as int8
fn q4_unpack(q: vec4<u32>) -> Codes {
  return Codes(q & vec4<u32>(0x0f0f0f0fu), (q >> vec4<u32>(4u)) & vec4<u32>(0x0f0f0f0fu));
}
fn q6_unpack(q: vec4<u32>, h: vec2<u32>) -> Codes {
  let up = vec4<u32>(6u, 4u, 2u, 0u);
  return Codes(
      ((q << vec4<u32>(2u)) & vec4<u32>(0x3c3c3c3cu)) | ((vec4<u32>(h.x) << up) & vec4<u32>(0xc0c0c0c0u)),
      ((q >> vec4<u32>(2u)) & vec4<u32>(0x3c3c3c3cu)) | ((vec4<u32>(h.y) << up) & vec4<u32>(0xc0c0c0c0u)));
}
fn byte_of(v: u32, i: u32) -> f32 { return f32((v >> (8u * i)) & 255u); }
fn int8_of(v: u32, i: u32) -> i32 { return extractBits(bitcast<i32>(v), 8u * i, 8u); }
// q4_add() and q6_add() add a group's products to a row's sum. x: the activations' scale, and scale * sum of codes.
fn q4_add(sum: f32, dot: i32, d: vec2<f32>, x: vec2<f32>) -> f32 {
  return fma(d.y, x.y, fma(f32(dot), d.x * x.x, sum));
}
fn q6_add(sum: f32, dot: i32, d: f32, x: vec2<f32>) -> f32 { return fma(f32(dot), d * x.x, sum); }
// Returns a group's (d * scale, -dmin * minimum). half: which group of the pair.
fn q4_scale(d: vec2<f32>, s: u32, half: u32) -> vec2<f32> {
  return vec2<f32>(d.x * byte_of(s, 2u * half), -(d.y * byte_of(s, 2u * half + 1u)));
}
