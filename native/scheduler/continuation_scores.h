// Scores texts that may follow a prompt (RequestKind::kContinuations): the log-probability of each
// of their tokens but the given ones. What several of them begin with is evaluated once, and what
// does not depend on each other is one batch:
//
//   prompt ─┬─ a b ─┬─ c d      continuations: a b c d, a b e and f
//           │       └─ e        first batch: a b;  second batch: c
//           └─ f
//
// The last token of a text is scored by the row of the token before it and not evaluated itself.
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

  /// Throws EngineError for continuations that are too many, too long or of unknown tokens.
  void require_valid() const;
  /// The path is that of the whole prompt, and the logits, [n_vocab], are those of its last token.
  void start(const Path& prompt, std::span<const float> logits);
  bool has_started() const { return !nodes_.empty(); }
  /// Evaluates one batch of at most n_most tokens and returns how many. 0 when interrupted: nothing
  /// has changed.
  int step(int n_most);
  bool is_done() const;
  /// Releases all pages; start() begins again.
  void reset();
  /// The log-probabilities of all tokens that are not given, one continuation after the other.
  std::vector<float> values() const;

 private:
  /// A run of tokens that some continuations share. The root is the prompt and has none.
  struct Node {
    std::span<const uint32_t> tokens;
    std::vector<int> children;
    Path path;  // ends before the first token that is not evaluated
    int n_evaluated = 0;
    size_t n_given = 0;  // of its tokens, in all continuations: they are evaluated, but not scored
    std::vector<float> log_probabilities;  // of the tokens, as far as they are known; given ones: 0
  };
  /// Tokens of a node in the batch.
  struct Part {
    int node = 0;
    int n = 0;
    std::vector<float> log_probabilities;  // that its rows give: of the node's own tokens
    std::vector<float> of_children;        // and of the first token of each child
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
