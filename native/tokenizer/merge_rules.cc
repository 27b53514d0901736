#include "merge_rules.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/error.h"
#include "gguf/gguf.h"
#include "model/contract.h"

namespace hearth {
namespace {

/// Longer than any model's tokens. Finding the merges that make a token takes time quadratic in its
/// length.
constexpr size_t kLongestToken = 1024;

using IdsByText = std::unordered_map<std::string_view, uint32_t>;

/// The rank of each score; the highest score has the lowest rank. Equal scores have equal ranks: of
/// their pairs, the leftmost merges first.
std::vector<uint32_t> ranks_of(const std::vector<double>& scores) {
  std::vector<double> sorted = scores;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<uint32_t> ranks;
  for (const double score : scores) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), score, std::greater<>());
    ranks.push_back(static_cast<uint32_t>(place - sorted.begin()));
  }
  return ranks;
}

/// Calls rule(left, right, merged) for each way to cut a token into two tokens.
template <typename Rule>
void for_each_cut(const IdsByText& ids, const Rule& rule) {
  for (const auto& [text, merged] : ids) {
    for (size_t cut = 1; cut < text.size(); cut++) {
      const auto left = ids.find(text.substr(0, cut));
      if (left == ids.end()) continue;
      const auto right = ids.find(text.substr(cut));
      if (right != ids.end()) rule(left->second, right->second, merged);
    }
  }
}

}  // namespace

MergeTable listed_merges(const GgufFile& file) {
  const std::vector<std::string>* names = file.strings("tokenizer.ggml.tokens");
  const std::vector<std::string>* merges = file.strings("tokenizer.ggml.merges");
  if (!names || !merges) refuse_incomplete(file.path(), "it has no tokenizer.ggml.merges");
  IdsByText ids;
  ids.reserve(names->size());
  for (uint32_t id = 0; id < names->size(); id++) ids.emplace((*names)[id], id);
  MergeTable table(merges->size());
  std::string joined;
  for (uint32_t rank = 0; rank < merges->size(); rank++) {
    const std::string_view rule = (*merges)[rank];
    const size_t space = std::min(rule.find(' '), rule.size());
    joined.assign(rule, 0, space);
    const auto left = ids.find(joined);
    const auto right = ids.find(rule.substr(std::min(space + 1, rule.size())));
    if (space < rule.size()) joined.append(rule, space + 1);
    const auto merged = ids.find(joined);
    if (left == ids.end() || right == ids.end() || merged == ids.end()) {
      refuse_incomplete(file.path(),
                        "it has a merge rule " + in_quotes(rule) + " without its tokens");
    }
    table.add(left->second, right->second, {rank, merged->second});
  }
  return table;
}

MergeTable scored_merges(const GgufFile& file, const Vocabulary& vocabulary) {
  const std::vector<double>* scores = file.numbers("tokenizer.ggml.scores");
  if (!scores || scores->size() != vocabulary.size())
    refuse_incomplete(file.path(), "tokenizer.ggml.scores does not list a score for each token");
  if (std::any_of(scores->begin(), scores->end(), [](double score) { return std::isnan(score); }))
    refuse_incomplete(file.path(), "tokenizer.ggml.scores has a score that is not a number");
  const std::vector<uint32_t> ranks = ranks_of(*scores);
  IdsByText ids;
  for (uint32_t id = 0; id < vocabulary.size(); id++) {
    const std::string_view bytes = vocabulary.bytes(id);
    if (bytes.size() > kLongestToken)
      refuse_incomplete(file.path(), "token " + std::to_string(id) + " has " +
                                         std::to_string(bytes.size()) + " bytes");
    if (vocabulary.kind(id) == Vocabulary::Kind::kOrdinary && !bytes.empty())
      ids.emplace(bytes, id);
  }
  size_t n_rules = 0;
  for_each_cut(ids, [&](uint32_t, uint32_t, uint32_t) { n_rules++; });
  MergeTable table(n_rules);
  for_each_cut(ids, [&](uint32_t left, uint32_t right, uint32_t merged) {
    table.add(left, right, {ranks[merged], merged});
  });
  return table;
}

}  // namespace hearth
