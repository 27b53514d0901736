// Measures and prints the times of decoding and of prompts.
#pragma once
#include <string>

extern std::string decode_row, prompt_rows;  // the results, as rows of a table
/// Measures decoding n tokens, the first of which is at position `from`.
void time_decode(int from, int n);
/// Measures a prompt of n tokens. The best of the tries counts.
void time_prompt(int n, int tries);
