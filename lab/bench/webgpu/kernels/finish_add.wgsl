// The end of a product: y [R] += the result. y is the residual stream.
@group(0) @binding(8) var<storage, read_write> y: array<f32>;
fn finish(wg: u32, li: u32) {
  if (li < RT) { y[wg * RT + li] = y[wg * RT + li] + row_sum(li); }
}
