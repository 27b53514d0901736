// Two algorithms with the same result. Short pieces (nearly all) are scanned for the best pair.
// Long pieces, where scans would take O(n^2), use a heap of pairs with a linked list of tokens.
#include "bpe.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace hearth {
namespace {

constexpr uint64_t kEmpty = UINT64_MAX;
constexpr uint32_t kNoMerge = UINT32_MAX;
// The longest piece for which a scan is faster.
constexpr size_t kMaxShort = 48;

uint64_t pair_of(uint32_t left, uint32_t right) { return uint64_t{left} << 32 | right; }

}  // namespace

MergeTable::MergeTable(size_t n_merges)
    : slots_(std::bit_ceil(2 * n_merges + 1), Slot{kEmpty, {}}) {}

// The slot of a pair, or the empty slot where it belongs. Multiplicative hashing: the upper bits of
// the product depend on all bits of both ids.
MergeTable::Slot& MergeTable::slot(uint64_t pair) {
  const int shift = 64 - std::countr_zero(slots_.size());
  size_t i = shift == 64 ? 0 : (pair * 0x9E3779B97F4A7C15u) >> shift;
  while (slots_[i].pair != pair && slots_[i].pair != kEmpty) i = (i + 1) & (slots_.size() - 1);
  return slots_[i];
}

void MergeTable::add(uint32_t left, uint32_t right, Merge merge) {
  Slot& place = slot(pair_of(left, right));
  if (place.pair == kEmpty) place = {pair_of(left, right), merge};
}

MergeTable::Merge MergeTable::find(uint32_t left, uint32_t right) const {
  return const_cast<MergeTable*>(this)->slot(pair_of(left, right)).merge;
}

size_t Merger::merge(std::span<uint32_t> ids) {
  if (ids.size() < 2) return ids.size();
  return ids.size() <= kMaxShort ? merge_short(ids) : merge_long(ids);
}

size_t Merger::merge_short(std::span<uint32_t> ids) {
  MergeTable::Merge merges[kMaxShort];  // merges[i]: the merge of ids[i] and ids[i + 1]
  size_t n = ids.size();
  for (size_t i = 0; i + 1 < n; i++) merges[i] = merges_.find(ids[i], ids[i + 1]);
  while (n > 1) {
    const auto by_rank = [](const auto& a, const auto& b) { return a.rank < b.rank; };
    const size_t best = std::min_element(merges, merges + n - 1, by_rank) - merges;
    if (merges[best].rank == kNoMerge) break;
    ids[best] = merges[best].merged;
    std::copy(ids.begin() + best + 2, ids.begin() + n, ids.begin() + best + 1);
    std::copy(merges + best + 1, merges + n - 1, merges + best);
    n--;
    if (best > 0) merges[best - 1] = merges_.find(ids[best - 1], ids[best]);
    if (best + 1 < n) merges[best] = merges_.find(ids[best], ids[best + 1]);
  }
  return n;
}

// The heap has entries (rank, position). A merge changes the ranks at its own position and at the
// one before it; entries with an outdated rank are skipped.
size_t Merger::merge_long(std::span<uint32_t> ids) {
  const size_t n = ids.size();
  ranks_.assign(n, kNoMerge);
  next_.resize(n);
  previous_.resize(n);
  std::iota(next_.begin(), next_.end(), 1u);
  std::iota(previous_.begin(), previous_.end(), UINT32_MAX);  // UINT32_MAX: no previous token
  queue_.clear();
  const auto enqueue = [&](uint32_t i) {
    ranks_[i] = next_[i] < n ? merges_.find(ids[i], ids[next_[i]]).rank : kNoMerge;
    if (ranks_[i] == kNoMerge) return;
    queue_.push_back(pair_of(ranks_[i], i));
    std::push_heap(queue_.begin(), queue_.end(), std::greater<>());
  };
  for (uint32_t i = 0; i + 1 < n; i++) enqueue(i);
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end(), std::greater<>());
    const uint32_t rank = static_cast<uint32_t>(queue_.back() >> 32);
    const uint32_t i = static_cast<uint32_t>(queue_.back());
    queue_.pop_back();
    if (ranks_[i] != rank) continue;
    const uint32_t gone = next_[i];
    ids[i] = merges_.find(ids[i], ids[gone]).merged;
    ranks_[gone] = kNoMerge;
    next_[i] = next_[gone];
    if (next_[i] < n) previous_[next_[i]] = i;
    enqueue(i);
    if (previous_[i] != UINT32_MAX) enqueue(previous_[i]);
  }
  size_t n_left = 0;
  for (uint32_t i = 0; i < n; i = next_[i]) ids[n_left++] = ids[i];
  return n_left;
}

}  // namespace hearth
