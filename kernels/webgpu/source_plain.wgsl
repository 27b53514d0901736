// A product's input is x [row][K]. rows_*.wgsl says which row belongs to a token.
@group(0) @binding(3) var<storage, read> x: array<vec4<f32>>;
fn source(token: u32, k4: u32) -> vec4<f32> { return x[params.x0 / 4u + row_of_token(token) * (K / 4u) + k4]; }
fn ready(token: u32, li: u32) {}
