// For a product with all rows of a strip, or for the input of all tokens: the input of token i is
// row i of x.
fn row_at(at: u32) -> u32 { return at; }
fn row_of_token(token: u32) -> u32 { return token; }
