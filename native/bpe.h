// Byte-pair merging over token ids: the lowest rank first, the leftmost of equals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hearth {

class MergeTable {
 public:
  struct Merge {
    uint32_t rank = UINT32_MAX;  // UINT32_MAX: these two do not merge
    uint32_t merged = 0;
  };

  explicit MergeTable(size_t n_merges);
  /// The first of two rules for one pair wins. At most n_merges rules.
  void add(uint32_t left, uint32_t right, Merge merge);
  Merge find(uint32_t left, uint32_t right) const;

 private:
  struct Slot {
    uint64_t pair;
    Merge merge;
  };
  Slot& slot(uint64_t pair);

  std::vector<Slot> slots_;  // open addressing; a power of two, at most half full
};

/// Merges ids in place and returns how many are left. Scratch is kept between calls.
class Merger {
 public:
  explicit Merger(const MergeTable& merges) : merges_(merges) {}
  size_t merge(std::span<uint32_t> ids);

 private:
  size_t merge_short(std::span<uint32_t> ids);
  size_t merge_long(std::span<uint32_t> ids);

  const MergeTable& merges_;
  std::vector<uint64_t> queue_;
  std::vector<uint32_t> ranks_, next_, previous_;
};

}  // namespace hearth
