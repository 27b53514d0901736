// Common to all products. A tile is 8 rows of a packed matrix; lane l of a tile is row l, so that neighbouring threads read
// neighbouring words. A group is 32 columns; G, the number of groups in a row, is even. Each file format_*.wgsl says how a group
// is packed:
//   Raw         a group of one row, packed; load_raw(tile, l, g) loads it
//   Scales      a group's scales; scales_of(raw) returns them
//   codes_of    returns the group's 32 columns as int8
//   add_group   adds the group's products to a sum
//   value_of    turns a code into a weight
// Kernels that must agree in every bit of a sum compute it as a chain of fma() that begins with
// params.zero, a zero unknown to the compiler. A driver is allowed to split fma() and to fuse again
// (lavapipe does). With a known 0, a chain would begin as a * b + c * d, where the driver could
// fuse either product with the addition.
@group(0) @binding(0) var<storage, read> w: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> s: array<u32>;
struct Codes { a: vec4<u32>, b: vec4<u32> }  // columns 0 to 15, 16 to 31
fn dot16(a: vec4<u32>, b: vec4<u32>) -> i32 {
  return dot4I8Packed(a.x, b.x) + dot4I8Packed(a.y, b.y) + dot4I8Packed(a.z, b.z) + dot4I8Packed(a.w, b.w);
}
fn byte_of(v: u32, i: u32) -> f32 { return f32((v >> (8u * i)) & 255u); }
fn int8_of(v: u32, i: u32) -> i32 { return extractBits(bitcast<i32>(v), 8u * i, 8u); }
// For a group of activations: its scale d, and the sums of its first and its last 16 codes, as two int16.
struct GroupScale { d: f32, sums: u32 }
fn sum_of(x: GroupScale, half: u32) -> f32 { return f32(extractBits(bitcast<i32>(x.sums), 16u * half, 16u)); }
fn sum_of_both(x: GroupScale) -> f32 { return sum_of(x, 0u) + sum_of(x, 1u); }
