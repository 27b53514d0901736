// The times of decoding and of prompts.
#pragma once
#include <string>

extern std::string decode_row, prompt_rows;  // the figures in words
void time_decode(int from, int n);
void time_prompt(int n, int tries);
