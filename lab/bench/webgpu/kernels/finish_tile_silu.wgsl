// The end of a batch's product with a single part: y [token][RALL / 2] = silu(gate) * up. Gate and up are rows r and r + 8 of a
// block of 16 rows.
@group(0) @binding(6) var<storage, read> factors: array<f32>;
@group(0) @binding(8) var<storage, read_write> y: array<f32>;
fn finish(part: u32, token: u32, row: u32, a: f32, b: f32) {
  let f = factors[token];
  y[token * (RALL / 2u) + (row / 16u) * 8u + row % 8u] = silu((0f + a) * f, (0f + b) * f);
}
