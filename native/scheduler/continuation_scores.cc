// The continuations form a radix tree. step() evaluates the remaining tokens of nodes whose parents
// are done. The logits of each token give the log-probability of the token after it.
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
  if (request_.n_given.size() != request_.continuations.size())
    throw EngineError("bad-argument", "each continuation needs its number of given tokens");
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
  for (size_t i = 0; i < request_.continuations.size(); i++)
    insert(request_.continuations[i], request_.n_given[i]);
  nodes_.front().path = prompt.fork();
  const double log_sum = log_sum_exp(logits);
  for (const int child : nodes_.front().children)
    nodes_[child].log_probabilities.push_back(
        static_cast<float>(logits[nodes_[child].tokens.front()] - log_sum));
}

// --- the tree ---

void ContinuationScores::insert(std::span<const uint32_t> tokens, size_t n_given) {
  int node = 0;
  while (!tokens.empty()) {
    const int child = child_with(node, tokens.front());
    if (child == 0) {
      nodes_[node].children.push_back(static_cast<int>(nodes_.size()));
      Node& leaf = nodes_.emplace_back();
      leaf.tokens = tokens;
      leaf.n_given = std::min(n_given, tokens.size());
      return;
    }
    const std::span<const uint32_t> known = nodes_[child].tokens;
    const size_t n_common =
        std::mismatch(known.begin(), known.end(), tokens.begin(), tokens.end()).first -
        known.begin();
    if (n_common < known.size() && n_common < tokens.size()) split(child, n_common);
    nodes_[child].n_given = std::min(nodes_[child].n_given, n_given);
    // A text may end inside a node.
    tokens = tokens.subspan(n_common);
    n_given -= std::min(n_common, n_given);
    node = child;
  }
}

/// Splits a node: it keeps its first n_kept tokens, and a new child gets the others and the node's
/// children.
void ContinuationScores::split(int node, size_t n_kept) {
  const int rest = static_cast<int>(nodes_.size());
  Node& below = nodes_.emplace_back();
  Node& above = nodes_[node];
  below.tokens = above.tokens.subspan(n_kept);
  below.children = std::exchange(above.children, {rest});
  above.tokens = above.tokens.first(n_kept);
  below.n_given = above.n_given - std::min(above.n_given, n_kept);
  above.n_given = std::min(above.n_given, n_kept);
}

/// The child that begins with the token; 0 if there is none.
int ContinuationScores::child_with(int node, uint32_t token) const {
  for (const int child : nodes_[node].children)
    if (nodes_[child].tokens.front() == token) return child;
  return 0;
}

// --- one batch ---

int ContinuationScores::step(int n_max) {
  parts_.clear();
  n_max = std::min(n_max, kernels::kMaxBatch);
  int n_free = n_max;
  add_parts(0, n_free);
  if (parts_.empty()) throw NoPages();
  std::array<Extension, kMaxLogitRows> extensions;
  for (size_t i = 0; i < parts_.size(); i++) {
    Node& node = nodes_[parts_[i].node];
    extensions[i] = {&node.path, node.tokens.subspan(node.n_evaluated, parts_[i].n)};
  }
  const auto batch = std::span(extensions).first(parts_.size());
  if (!bench_.forward.evaluate_for_logits(batch) || !read_rows()) return 0;
  for (const Part& part : parts_) {
    Node& node = nodes_[part.node];
    node.path.commit(node.tokens.subspan(node.n_evaluated, part.n));
    node.n_evaluated += part.n;
    bench_.cache.count_evaluated(part.n);
    node.log_probabilities.insert(node.log_probabilities.end(), part.log_probabilities.begin(),
                                  part.log_probabilities.end());
    for (size_t i = 0; i < part.child_log_probabilities.size(); i++)
      nodes_[node.children[i]].log_probabilities.push_back(part.child_log_probabilities[i]);
  }
  return n_max - n_free;
}

/// The number of a node's tokens that must still be evaluated. The last token of a leaf never is.
int ContinuationScores::n_left(const Node& node) const {
  const int n_unread = node.children.empty() && !node.tokens.empty() ? 1 : 0;
  return static_cast<int>(node.tokens.size()) - n_unread - node.n_evaluated;
}

/// Adds the remaining tokens of the node or, if it is done, of its descendants. If no pages are
/// free now, the next step asks for them again.
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
  parts_.push_back({.node = index, .n = n, .log_probabilities = {}, .child_log_probabilities = {}});
  n_free -= n;
}

/// Whether the token needs a score. The index after the node's last token means the first tokens of
/// its children: whether any of them needs a score.
bool ContinuationScores::is_scored(const Node& node, size_t token) const {
  if (token < node.tokens.size()) return token >= node.n_given;
  return std::any_of(node.children.begin(), node.children.end(),
                     [&](int child) { return nodes_[child].n_given == 0; });
}

/// Computes log-probabilities from the logits of the batch's tokens. Returns false if interrupted,
/// which it checks before each row of logits: a sum over 152,000 logits takes the host up to 3 ms.
bool ContinuationScores::read_rows() {
  std::vector<int32_t> rows;  // the tokens of the batch whose logits give scores
  int first = 0;
  for (const Part& part : parts_) {
    const Node& node = nodes_[part.node];
    for (int i = 0; i < part.n; i++)
      if (is_scored(node, static_cast<size_t>(node.n_evaluated) + i + 1)) rows.push_back(first + i);
    first += part.n;
  }
  std::vector<float> logits(bench_.n_vocab);
  size_t n_read = 0;  // the number of `rows` that are done; head() computes sixteen at a time
  const float* computed = nullptr;
  for (Part& part : parts_) {
    const Node& node = nodes_[part.node];
    for (int i = 0; i < part.n; i++) {
      const size_t next = static_cast<size_t>(node.n_evaluated) + i + 1;
      const bool is_wanted = is_scored(node, next);
      double log_sum = 0;
      if (is_wanted) {
        const size_t at = n_read++ % kMaxLogitRows;
        if (at == 0) {
          const auto rest = std::span(rows).subspan(n_read - 1);
          computed = bench_.forward.head(
              rest.first(std::min(rest.size(), static_cast<size_t>(kMaxLogitRows))));
          if (!computed) return false;
        }
        if (bench_.forward.is_interrupted()) return false;
        bench_.ops.read(logits, computed + at * bench_.n_vocab);
        require_finite(logits);
        log_sum = log_sum_exp(logits);
      }
      const auto score = [&](uint32_t token) {
        return is_wanted ? static_cast<float>(logits[token] - log_sum) : 0.0f;
      };
      if (next < node.tokens.size()) {
        part.log_probabilities.push_back(score(node.tokens[next]));
      } else {
        for (const int child : node.children)
          part.child_log_probabilities.push_back(score(nodes_[child].tokens.front()));
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
  for (size_t i = 0; i < request_.continuations.size(); i++) {
    std::span<const uint32_t> tokens = request_.continuations[i];
    std::vector<float> scores;
    for (int node = 0; !tokens.empty();) {
      node = child_with(node, tokens.front());
      const std::vector<float>& known = nodes_[node].log_probabilities;
      const size_t n = std::min(known.size(), tokens.size());
      scores.insert(scores.end(), known.begin(), known.begin() + n);
      tokens = tokens.subspan(n);
    }
    const size_t n_given = std::min<size_t>(request_.n_given[i], scores.size());
    values.insert(values.end(), scores.begin() + n_given, scores.end());
  }
  return values;
}

}  // namespace hearth
