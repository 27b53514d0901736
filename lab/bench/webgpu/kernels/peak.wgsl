// Only dot products, eight independent sums per thread, to measure the GPU's maximum speed.
@group(0) @binding(8) var<storage, read_write> y: array<i32>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  var a = li * 0x01010101u + wid.x;
  var s: array<i32, 8>;
  for (var i = 0u; i < 8u; i++) { s[i] = i32(i); }
  for (var r = 0u; r < ROUNDS; r++) {
    for (var k = 0u; k < 4u; k++) {
      for (var i = 0u; i < 8u; i++) { s[i] += dot4I8Packed(a + i, a ^ k); }
    }
    a = a * 1664525u + 1013904223u;
  }
  var t = 0;
  for (var i = 0u; i < 8u; i++) { t += s[i]; }
  y[wid.x * 256u + li] = t;
}
