// What products share. A tile is 8 rows of a packed matrix; lane l of a tile is a row, so that neighbouring threads read
// neighbouring words. A group is 32 columns; G, the groups of a row, is even. A file format_*.wgsl says how a group is packed:
//   Raw         what a thread loads of a row's group; load_raw(tile, l, g) loads it
//   Scales      a group's scales; scales_of(raw)
//   codes_of    its 32 columns as int8
//   add_group   what the group adds to a sum
//   value_of    a weight, from its code
// Sums that several kernels must give with equal bits are chains of fma() that begin with params.zero, a zero that the compiler
// doesn't know. A driver may take fma() apart and fuse again (lavapipe does): of a * b + c * d, as is left of a chain that begins
// with 0, it could then fuse either half.
@group(0) @binding(0) var<storage, read> w: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> s: array<u32>;
struct Codes { a: vec4<u32>, b: vec4<u32> }  // columns 0 to 15, 16 to 31
fn dot16(a: vec4<u32>, b: vec4<u32>) -> i32 {
  return dot4I8Packed(a.x, b.x) + dot4I8Packed(a.y, b.y) + dot4I8Packed(a.z, b.z) + dot4I8Packed(a.w, b.w);
}
fn byte_of(v: u32, i: u32) -> f32 { return f32((v >> (8u * i)) & 255u); }
fn int8_of(v: u32, i: u32) -> i32 { return extractBits(bitcast<i32>(v), 8u * i, 8u); }
// The scale of a group of activations, and the sums of its first and last 16 codes.
struct GroupScale { d: f32, sums: u32 }
fn sum_of(x: GroupScale, half: u32) -> f32 { return f32(extractBits(bitcast<i32>(x.sums), 16u * half, 16u)); }
fn sum_of_both(x: GroupScale) -> f32 { return sum_of(x, 0u) + sum_of(x, 1u); }
