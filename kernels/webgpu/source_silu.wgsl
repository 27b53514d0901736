// A product's input is silu(gate) * up. x [token][gate, up][K].
@group(0) @binding(3) var<storage, read> x: array<vec4<f32>>;
fn source(token: u32, k4: u32) -> vec4<f32> {
  let at = params.x0 / 4u + token * (K / 2u) + k4;
  let gate = x[at];
  return gate / (vec4<f32>(1f) + exp(-gate)) * x[at + K / 4u];
}
fn ready(token: u32, li: u32) {}
