// The part of Decoder that chooses the token after each row of the pass just evaluated. Where that
// token must heal bytes, it is chosen from the logits of compatible tokens only, row by row. All
// other rows share one run of the output head. Choosing stops at the first row where the draft
// differs from the choice.
#include <algorithm>

#include "common/output_guard.h"
#include "decoder.h"

namespace hearth {

bool Decoder::choose() {
  for (Answer& answer : answers_)
    if (answer.n_rows > 0 && !choose_healed_rows(answer)) return false;
  return choose_free_rows();
}

/// Whether row i of the answer evaluated what the model has chosen: true for the first row, and for
/// a drafted row only if the draft was right up to there.
bool Decoder::is_reached(const Answer& answer, int i) const {
  const int row = answer.first_row + i;
  return i < answer.n_rows && (i == 0 || tokens_[row] == choices_[row - 1].token);
}

/// The head computes the logits of the compatible tokens alone, and log-probabilities are relative
/// to those.
bool Decoder::choose_healed_rows(Answer& answer) {
  answer.random_after = answer.random;
  answer.n_chosen = 0;
  std::string_view left = answer.heal_left;
  while (!left.empty() && is_reached(answer, answer.n_chosen)) {
    const std::span<const uint32_t> candidates =
        bench_.tokenizer.compatible_with(left, bench_.candidates);
    const int row = answer.first_row + answer.n_chosen++;
    logits_ = bench_.forward.head(n_prompt_rows_ + row, candidates);
    if (!logits_) return false;
    read_logits(logits_, static_cast<int>(candidates.size()));
    require_finite(bench_.host_logits);
    const Sampled sampled =
        bench_.sampler.sample(bench_.host_logits, job_.request.sampling, answer.random_after);
    choices_[row] = {candidates[sampled.index], sampled.log_probability};
    left.remove_prefix(std::min(left.size(), bench_.tokenizer.bytes(choices_[row].token).size()));
  }
  const bool is_free = left.empty() && is_reached(answer, answer.n_chosen);
  answer.first_free = is_free ? answer.n_chosen : answer.n_rows;
  return true;
}

/// One head for the free rows of all answers.
bool Decoder::choose_free_rows() {
  std::array<int32_t, kMaxLogitRows> rows;
  int n = 0;
  for (const Answer& answer : answers_)
    for (int i = answer.first_free; i < answer.n_rows; i++)
      rows[n++] = n_prompt_rows_ + answer.first_row + i;
  if (n == 0) return true;
  const float* logits = logits_ = bench_.forward.head(std::span(rows).first(n));
  std::array<kernels::Argmax, kMaxLogitRows> bests;
  if (!logits || !bench_.forward.argmax(logits, std::span(bests).first(n))) return false;
  const kernels::Argmax* best = bests.data();
  for (Answer& answer : answers_) {
    choose_rows(answer, logits, best);
    const int n_free = std::max(0, answer.n_rows - answer.first_free);
    logits += static_cast<size_t>(n_free) * bench_.n_vocab;
    best += n_free;
  }
  return true;
}

/// Chooses the tokens after the free rows of one answer, whose logits and argmaxes come first in
/// the arrays.
void Decoder::choose_rows(Answer& answer, const float* logits, const kernels::Argmax* bests) {
  for (int i = answer.first_free; is_reached(answer, i); i++) {
    choices_[answer.first_row + i] = choose_from(logits, *bests++, answer.random_after);
    logits += bench_.n_vocab;
    answer.n_chosen++;
  }
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
