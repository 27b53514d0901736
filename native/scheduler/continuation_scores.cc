// A radix tree of the continuations: step() evaluates what is left of the nodes whose parents are
// done, and the rows give the log-probabilities of the tokens after them.
#include "continuation_scores.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "common/output_guard.h"
#include "task.h"

namespace hearth {

void ContinuationScores::require_valid() const {
  if (request_.continuations.size() > kMaxContinuations)
    throw EngineError("bad-argument", "at most " + std::to_string(kMaxContinuations) +
                                          " continuations can be scored at once, not " +
                                          std::to_string(request_.continuations.size()));
  for (const std::vector<uint32_t>& tokens : request_.continuations) {
    require_in_vocabulary(tokens, bench_.n_vocab);
    const size_t n = request_.tokens.size() + tokens.size();
    if (n > static_cast<size_t>(bench_.context_tokens))
      throw EngineError("context-full", "the prompt and a continuation have " + std::to_string(n) +
                                            " tokens; the context holds " +
                                            std::to_string(bench_.context_tokens));
  }
}

void ContinuationScores::start(const Path& prompt, std::span<const float> logits) {
  nodes_.emplace_back();
  for (const std::vector<uint32_t>& tokens : request_.continuations) insert(tokens);
  nodes_.front().path = prompt.fork();
  const double log_sum = log_sum_exp(logits);
  for (const int child : nodes_.front().children)
    nodes_[child].log_probabilities.push_back(
        static_cast<float>(logits[nodes_[child].tokens.front()] - log_sum));
}

// --- the tree ---

void ContinuationScores::insert(std::span<const uint32_t> tokens) {
  int node = 0;
  while (!tokens.empty()) {
    const int child = child_with(node, tokens.front());
    if (child == 0) {
      nodes_[node].children.push_back(static_cast<int>(nodes_.size()));
      nodes_.emplace_back().tokens = tokens;
      return;
    }
    const std::span<const uint32_t> known = nodes_[child].tokens;
    const size_t n_common =
        std::mismatch(known.begin(), known.end(), tokens.begin(), tokens.end()).first -
        known.begin();
    if (n_common < known.size() && n_common < tokens.size()) split(child, n_common);
    // A text that ends within a node has its tokens' scores there.
    tokens = tokens.subspan(std::min(n_common, tokens.size()));
    node = child;
  }
}

/// The node keeps its first tokens, and a child of it gets the others, and its children.
void ContinuationScores::split(int node, size_t n_kept) {
  const int rest = static_cast<int>(nodes_.size());
  Node& below = nodes_.emplace_back();
  Node& above = nodes_[node];
  below.tokens = above.tokens.subspan(n_kept);
  below.children = std::exchange(above.children, {rest});
  above.tokens = above.tokens.first(n_kept);
}

/// 0: there is none.
int ContinuationScores::child_with(int node, uint32_t token) const {
  for (const int child : nodes_[node].children)
    if (nodes_[child].tokens.front() == token) return child;
  return 0;
}

// --- one batch ---

bool ContinuationScores::step(int n_most) {
  parts_.clear();
  int n_free = std::min(n_most, kernels::kMaxBatch);
  add_parts(0, n_free);
  if (parts_.empty()) throw NoPages();
  std::array<Extension, kMaxLogitRows> extensions;
  for (size_t i = 0; i < parts_.size(); i++) {
    Node& node = nodes_[parts_[i].node];
    extensions[i] = {&node.path, node.tokens.subspan(node.n_evaluated, parts_[i].n)};
  }
  const auto batch = std::span(extensions).first(parts_.size());
  if (!bench_.forward.evaluate_for_logits(batch) || !read_rows()) return false;
  for (const Part& part : parts_) {
    Node& node = nodes_[part.node];
    node.path.commit(node.tokens.subspan(node.n_evaluated, part.n));
    node.n_evaluated += part.n;
    bench_.cache.count_evaluated(part.n);
    node.log_probabilities.insert(node.log_probabilities.end(), part.log_probabilities.begin(),
                                  part.log_probabilities.end());
    for (size_t i = 0; i < part.of_children.size(); i++)
      nodes_[node.children[i]].log_probabilities.push_back(part.of_children[i]);
  }
  return true;
}

/// Tokens of a node that must still be evaluated. The last one of a leaf is not.
int ContinuationScores::n_left(const Node& node) const {
  const int n_unread = node.children.empty() && !node.tokens.empty() ? 1 : 0;
  return static_cast<int>(node.tokens.size()) - n_unread - node.n_evaluated;
}

/// Adds what is left of the node or, if it is done, of its descendants. Pages that are not to be
/// had now are asked for again at the next step.
void ContinuationScores::add_parts(int index, int& n_free) {
  Node& node = nodes_[index];
  if (n_left(node) == 0) {
    for (const int child : node.children) {
      Node& below = nodes_[child];
      if (below.n_evaluated == 0 && n_left(below) > 0) below.path = node.path.fork();
      add_parts(child, n_free);
    }
    return;
  }
  const int n = std::min(n_left(node), n_free);
  if (n == 0 || parts_.size() == kMaxLogitRows || !node.path.reserve(n)) return;
  parts_.push_back({.node = index, .n = n, .log_probabilities = {}, .of_children = {}});
  n_free -= n;
}

/// The log-probabilities that the rows of the batch give. False when interrupted.
bool ContinuationScores::read_rows() {
  std::array<int32_t, kMaxLogitRows> rows;
  std::vector<float> logits(bench_.n_vocab);
  int n_rows = 0;  // of the batch that have been computed by head(), sixteen at a time
  const float* computed = nullptr;
  const int n_total = std::accumulate(parts_.begin(), parts_.end(), 0,
                                      [](int sum, const Part& part) { return sum + part.n; });
  int row = 0;
  for (Part& part : parts_) {
    const Node& node = nodes_[part.node];
    for (int i = 0; i < part.n; i++, row++) {
      if (row == n_rows) {
        const int n = std::min(kMaxLogitRows, n_total - n_rows);
        std::iota(rows.begin(), rows.begin() + n, n_rows);
        computed = bench_.forward.head(std::span(rows).first(n));
        if (!computed) return false;
        n_rows += n;
      }
      bench_.ops.read(logits, computed + static_cast<size_t>(row % kMaxLogitRows) * bench_.n_vocab);
      require_finite(logits);
      const double log_sum = log_sum_exp(logits);
      const auto score = [&](uint32_t token) {
        return static_cast<float>(logits[token] - log_sum);
      };
      const size_t next = static_cast<size_t>(node.n_evaluated) + i + 1;
      if (next < node.tokens.size()) {
        part.log_probabilities.push_back(score(node.tokens[next]));
      } else {
        for (const int child : node.children)
          part.of_children.push_back(score(nodes_[child].tokens.front()));
      }
    }
  }
  return true;
}

bool ContinuationScores::is_done() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [&](const Node& node) { return n_left(node) == 0; });
}

void ContinuationScores::reset() {
  parts_.clear();
  nodes_.clear();
}

std::vector<float> ContinuationScores::values() const {
  std::vector<float> values;
  for (std::span<const uint32_t> tokens : request_.continuations) {
    for (int node = 0; !tokens.empty();) {
      node = child_with(node, tokens.front());
      const std::vector<float>& known = nodes_[node].log_probabilities;
      const size_t n = std::min(known.size(), tokens.size());
      values.insert(values.end(), known.begin(), known.begin() + n);
      tokens = tokens.subspan(n);
    }
  }
  return values;
}

}  // namespace hearth
