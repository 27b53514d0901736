// The products of gemv.wgsl and matmul.wgsl, bit for bit, as plain loops: one thread multiplies a row by a token, column by
// column. code() and add_group() are in plain4.wgsl and plain6.wgsl.
@group(0) @binding(4) var<storage, read> xq: array<u32>;        // [n][K] int8
@group(0) @binding(5) var<storage, read> xd: array<vec2<f32>>;  // [n][G] (scale, scale * sum of codes)
@group(0) @binding(8) var<storage, read_write> y: array<f32>;   // [n][R]

// The dot product of 16 columns, from `first` on.
fn plain_dot(row: u32, token: u32, first: u32) -> i32 {
  var sum = 0;
  for (var k = first; k < first + 16u; k++) {
    sum += code(row, k) * int8_of(xq[(token * K + k) / 4u], k % 4u);
  }
  return sum;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nw: vec3<u32>,
    @builtin(local_invocation_index) li: u32) {
  let i = (wid.y * nw.x + wid.x) * 64u + li;
  if (i >= params.n * R) { return; }
  let row = i % R;
  let token = i / R;
  var total = 0f;
  var g = 0u;
  for (var part = 0u; part < SS; part++) {
    var part_sum = 0f;
    for (var slice = 0u; slice < S / SS; slice++) {
      var sum = 0f;
      for (var end = g + G / S; g < end; g++) { sum = add_group(sum, row, token, g); }
      part_sum += sum;
    }
    total += part_sum;
  }
  y[i] = total;
}
