// Measures and prints the times of decoding and of prompts.
#pragma once
#include <string>

extern std::string decode_row, prompt_rows;  // the results as text
/// Decodes n tokens, the first at position `from`.
void time_decode(int from, int n);
void time_prompt(int n, int tries);
