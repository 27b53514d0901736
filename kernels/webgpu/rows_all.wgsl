// A product of all rows of a strip; the input of token i is row i.
fn row_at(at: u32) -> u32 { return at; }
fn row_of_token(token: u32) -> u32 { return token; }
