// SwiGLU: silu(gate) * up.
fn silu(gate: f32, up: f32) -> f32 { return gate / (1f + exp(-gate)) * up; }
