// The end of one part of a batch's product: y [part][token][RALL] = the result. The matrix's first row is row ROW0 of y.
@group(0) @binding(8) var<storage, read_write> y: array<f32>;
fn finish(part: u32, token: u32, row: u32, a: f32, b: f32) {
  let at = (part * params.n + token) * RALL + ROW0 + row;
  y[at] = a;
  y[at + 8u] = b;
}
