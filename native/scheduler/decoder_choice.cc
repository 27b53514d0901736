// The part of Decoder that chooses the token after each row of the pass just evaluated. A token
// that must heal bytes is chosen from the logits of compatible tokens only, row by row. All other
// rows share one run of the output head. Choosing stops at the first row where the draft differs
// from the choice.
#include <algorithm>

#include "common/output_guard.h"
#include "decoder.h"

namespace hearth {

bool Decoder::choose(Pass& pass) {
  for (const Answer& answer : answers_)
    if (rows_of(pass, answer).n > 0 && !choose_healed_rows(pass, answer)) return false;
  return choose_free_rows(pass);
}

/// Whether row i of the answer holds the token that the model has chosen: true for the first row,
/// and for a drafted row if the draft is right up to that row.
bool Decoder::is_reached(const Pass& pass, const AnswerRows& rows, int i) {
  const int row = rows.first + i;
  return i < rows.n && (i == 0 || pass.tokens[row] == pass.choices[row - 1].token);
}

/// Chooses the tokens after the rows that heal_left restricts. The head computes only the logits of
/// compatible tokens, and log-probabilities are relative to these tokens.
bool Decoder::choose_healed_rows(Pass& pass, const Answer& answer) {
  AnswerRows& rows = rows_of(pass, answer);
  rows.random_after = answer.random;
  std::string_view left = answer.heal_left;
  while (!left.empty() && is_reached(pass, rows, rows.n_chosen)) {
    const std::span<const uint32_t> candidates =
        bench_.tokenizer.compatible_with(left, bench_.candidates);
    if (candidates
            .empty()) {  // the vocabulary lacks a byte, so the remaining bytes cannot be healed
      left = {};
      break;
    }
    const int row = rows.first + rows.n_chosen++;
    pass.logits = bench_.forward.head(pass.n_prompt_rows + row, candidates);
    if (!pass.logits) return false;
    read_logits(pass.logits, static_cast<int>(candidates.size()));
    require_finite(bench_.host_logits);
    const Sampled sampled =
        bench_.sampler.sample(bench_.host_logits, job_.request.sampling, rows.random_after);
    const uint32_t token = candidates[sampled.index];
    pass.choices[row] = {token, sampled.log_probability};
    left.remove_prefix(std::min(left.size(), bench_.tokenizer.bytes(token).size()));
  }
  const bool is_free = left.empty() && is_reached(pass, rows, rows.n_chosen);
  rows.first_free = is_free ? rows.n_chosen : rows.n;
  return true;
}

/// Chooses the tokens after the free rows of all answers, with one run of the head.
bool Decoder::choose_free_rows(Pass& pass) {
  std::array<int32_t, kMaxLogitRows> batch_rows;
  int n = 0;
  for (const AnswerRows& rows : pass.rows_of)
    for (int i = rows.first_free; i < rows.n; i++)
      batch_rows[n++] = pass.n_prompt_rows + rows.first + i;
  if (n == 0) return true;
  const float* logits = pass.logits = bench_.forward.head(std::span(batch_rows).first(n));
  std::array<kernels::Argmax, kMaxLogitRows> bests;
  if (!logits || !bench_.forward.argmax(logits, std::span(bests).first(n))) return false;
  const kernels::Argmax* best = bests.data();
  for (AnswerRows& rows : pass.rows_of) {
    if (!choose_rows(pass, rows, logits, best)) return false;
    const int n_free = rows.n - rows.first_free;
    logits += static_cast<size_t>(n_free) * bench_.n_vocab;
    best += n_free;
  }
  return true;
}

/// Chooses the tokens after the free rows of one answer. Their logits and argmaxes are the first in
/// the arrays. Returns false if interrupted: sampling one row takes the host some milliseconds.
bool Decoder::choose_rows(Pass& pass, AnswerRows& rows, const float* logits,
                          const kernels::Argmax* bests) {
  for (int i = rows.first_free; is_reached(pass, rows, i); i++) {
    if (bench_.forward.is_interrupted()) return false;
    pass.choices[rows.first + i] = choose_from(logits, *bests++, rows.random_after);
    logits += bench_.n_vocab;
    rows.n_chosen++;
  }
  return true;
}

Decoder::Choice Decoder::choose_from(const float* logits, const kernels::Argmax& best,
                                     Random& random) {
  const Request& request = job_.request;
  require_sound(best, bench_.n_vocab);
  if (request.sampling.temperature <= 0) return {best.id, best.log_probability};
  read_logits(logits, bench_.n_vocab);
  const Sampled sampled = bench_.sampler.sample(bench_.host_logits, request.sampling, random);
  return {sampled.index, sampled.log_probability};
}

/// Copies n logits from backend memory to host_logits.
void Decoder::read_logits(const float* logits, int n) {
  bench_.host_logits.resize(n);
  bench_.ops.read(bench_.host_logits, logits);
}

}  // namespace hearth
