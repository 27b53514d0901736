// Byte-pair encoding over token ids. MergeTable maps a pair of neighbouring tokens to the token
// that they merge into, and to the rank of that rule. Merger merges a piece of text: until no rule
// matches, it applies the matching rule with the lowest rank, at its leftmost match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hearth {

class MergeTable {
 public:
  struct Merge {
    uint32_t rank = UINT32_MAX;  // UINT32_MAX: the two do not merge
    uint32_t merged = 0;
  };

  explicit MergeTable(size_t n_merges);
  /// Adds one of at most n_merges rules. If a pair has two rules, the first counts.
  void add(uint32_t left, uint32_t right, Merge merge);
  Merge find(uint32_t left, uint32_t right) const;

 private:
  struct Slot {
    uint64_t pair;
    Merge merge;
  };
  Slot& slot(uint64_t pair);

  std::vector<Slot> slots_;  // hash table, open addressing; a power of two, at most half full
};

/// Keeps its scratch memory between calls. The table must outlive it.
class Merger {
 public:
  explicit Merger(const MergeTable& merges) : merges_(merges) {}
  /// Merges ids in place. The result is at the front; returns its length.
  size_t merge(std::span<uint32_t> ids);

 private:
  size_t merge_short(std::span<uint32_t> ids);
  size_t merge_long(std::span<uint32_t> ids);

  const MergeTable& merges_;
  std::vector<uint64_t> queue_;
  std::vector<uint32_t> ranks_, next_, previous_;
};

}  // namespace hearth
