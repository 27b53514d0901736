#include "tokenizer/bpe.h"

#include <random>
#include <vector>

#include "test.h"

namespace {

using Ids = std::vector<uint32_t>;

/// Merges by the definition of BPE: as long as a rule matches, applies the matching rule with the
/// lowest rank, at its leftmost match.
Ids merge_naively(const hearth::MergeTable& table, Ids ids) {
  while (true) {
    size_t best = ids.size();
    hearth::MergeTable::Merge best_merge;
    for (size_t i = 0; i + 1 < ids.size(); i++) {
      const hearth::MergeTable::Merge merge = table.find(ids[i], ids[i + 1]);
      if (merge.rank < best_merge.rank) best = i, best_merge = merge;
    }
    if (best == ids.size()) return ids;
    ids[best] = best_merge.merged;
    ids.erase(ids.begin() + static_cast<ptrdiff_t>(best) + 1);
  }
}

}  // namespace

TEST("short and long words are merged by the definition of BPE") {
  std::mt19937 random(4);
  for (int round = 0; round < 300; round++) {
    // Few symbols and many rules, so that merges compete and trigger each other.
    hearth::MergeTable table(64);
    uint32_t n_symbols = 3;
    for (uint32_t rank = 0; rank < 40; rank++) {
      table.add(static_cast<uint32_t>(random() % n_symbols),
                static_cast<uint32_t>(random() % n_symbols), {rank, n_symbols});
      n_symbols++;
    }
    hearth::Merger merger(table);
    for (const size_t length : {0u, 1u, 2u, 7u, 47u, 48u, 49u, 200u}) {
      Ids ids(length);
      for (uint32_t& id : ids) id = static_cast<uint32_t>(random() % 3);
      const Ids expected = merge_naively(table, ids);
      ids.resize(merger.merge(ids));
      CHECK(ids == expected);
    }
  }
}
