// x [token][K] = the token's row of the embedding table, as floats. Grid (tokens). The kernel runs once for each strip (some of
// the table's rows, which fit in a binding) and skips tokens whose rows are in other strips.
struct Params { row0: u32, n_rows: u32, x0: u32 }
@group(0) @binding(2) var<storage, read> params: Params;
@group(0) @binding(3) var<storage, read> batch: array<u32>;
@group(0) @binding(4) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let row = batch[wid.x] - params.row0;
  if (row >= params.n_rows) { return; }
  for (var g = li; g < K / 32u; g += 64u) {  // groups of 32 columns
    let raw = load_raw(row / 8u, row % 8u, g);
    let codes = codes_of(raw);
    let z = scales_of(raw);
    let at = params.x0 + wid.x * K + 32u * g;
    for (var i = 0u; i < 16u; i++) {
      x[at + i] = value_of(z, 0u, int8_of(codes.a[i / 4u], i % 4u));
      x[at + 16u + i] = value_of(z, 1u, int8_of(codes.b[i / 4u], i % 4u));
    }
  }
}
