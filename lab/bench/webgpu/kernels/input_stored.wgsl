// The input for a product with one token, which another kernel has quantized: xq [G][2] 16 codes
// each, xd [G] (scale, scale * sum of codes).
@group(0) @binding(4) var<storage, read> xq: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> xd: array<vec2<f32>>;
fn x16(c: u32) -> vec4<u32> { return xq[c]; }
fn xscale(g: u32) -> vec2<f32> { return xd[g]; }
fn prepare(e: u32, token: u32) {}
fn factor() -> f32 { return 1f; }
