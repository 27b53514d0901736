// For a product with only the listed rows of a strip, or for the input of the listed tokens: list [n].
@group(0) @binding(11) var<storage, read> list: array<u32>;
fn row_at(at: u32) -> u32 { return list[params.q0 + min(at, params.n_rows - 1u)]; }
fn row_of_token(token: u32) -> u32 { return list[params.q0 + token]; }
