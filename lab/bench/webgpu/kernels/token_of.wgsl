// The head reads the last token of the batch.
fn token_of() -> u32 { return params.n - 1u; }
