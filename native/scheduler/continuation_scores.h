// Scores texts that might follow a prompt (RequestKind::kContinuations): computes the
// log-probability of each of their tokens. The first tokens of a text may be given: they are
// evaluated, but not scored. A prefix that several texts share is evaluated once, and tokens that
// do not depend on each other are evaluated in one batch:
//
//   prompt ─┬─ a b ─┬─ c d      continuations: a b c d, a b e and f
//           │       └─ e        first batch: a b;  second batch: c
//           └─ f
//
// The logits of a token give the score of the next one. So the last token of a text is not
// evaluated.
#pragma once

#include <span>
#include <vector>

#include "request.h"
#include "workbench.h"

namespace hearth {

inline constexpr int kMaxContinuations = 64;

class ContinuationScores {
 public:
  /// Both must outlive it.
  ContinuationScores(const Request& request, Workbench& bench) : request_(request), bench_(bench) {}

  /// Throws EngineError if there are too many continuations, or if one is too long or has unknown
  /// tokens.
  void require_valid() const;
  /// prompt: the path of the whole prompt. logits [n_vocab]: of the prompt's last token.
  void start(const Path& prompt, std::span<const float> logits);
  bool has_started() const { return !nodes_.empty(); }
  /// Evaluates one batch of at most n_max tokens and returns its size, or 0 if it was interrupted;
  /// then nothing has changed.
  int step(int n_max);
  bool is_done() const;
  /// Releases all pages; start() begins again.
  void reset();
  /// The log-probabilities of all tokens that are not given, one continuation after another.
  std::vector<float> values() const;

 private:
  /// A run of tokens that some continuations share. The root is the prompt and has no tokens.
  struct Node {
    std::span<const uint32_t> tokens;
    std::vector<int> children;
    Path path;  // ends before the first token that is not evaluated
    int n_evaluated = 0;
    size_t n_given = 0;  // its first n_given tokens are given in all continuations: they are
                         // evaluated, but not scored
    std::vector<float> log_probabilities;  // of the tokens scored so far; 0 for given tokens
  };
  /// The part of a node that is in the batch.
  struct Part {
    int node = 0;
    int n = 0;                                   // tokens
    std::vector<float> log_probabilities;        // of the node's own tokens
    std::vector<float> child_log_probabilities;  // of the first token of each child
  };
  void insert(std::span<const uint32_t> tokens, size_t n_given);
  void split(int node, size_t n_kept);
  int child_with(int node, uint32_t token) const;
  int n_left(const Node& node) const;
  void add_parts(int node, int& n_free);
  bool is_scored(const Node& node, size_t token) const;
  bool read_rows();

  const Request& request_;
  Workbench& bench_;
  std::vector<Node> nodes_;  // the root first
  std::vector<Part> parts_;  // of the batch in progress
};

}  // namespace hearth
