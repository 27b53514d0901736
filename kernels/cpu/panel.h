// Panels: how a variant multiplies a batch of many tokens (GEMM). A panel is some row tiles x some
// columns of weights, unpacked once into scratch memory that stays in the L1 or L2 cache, and then
// multiplied by every token. matmul.inl has the loops over panels.
//
// A variant includes one panels_*.inl, which defines
//   HEARTH_BATCH_PLAN   the fields of a BatchPlan: the layout of a batch's tokens. Then it
//                       includes tile_kernels.inl, which reads the plan and has the helpers of
//                       panels.
//   NamePanels          a class, such as AmxPanels, with a member template Kernel<kType>, which is
//                       a PanelKernel for each block format
#pragma once

#include <concepts>
#include <type_traits>

#include "row_kernels.h"

namespace hearth::kernels::cpu {
namespace {

struct BatchPlan {
  int few;  // batches of at most this many tokens use no panels: for them, unpacking the weights
            // again for every kMaxTokens tokens costs no more than filling panels
  int tile = kTileTokens;  // tokens in a token tile if a batch has more than kTileTokens: 12 or 16
  int offset = 0;  // if not 0, the int8 of batches with more than `few` tokens are stored as
                   // q + offset, in rows (panels_avx512.inl); all others are interleaved
};
inline constexpr BatchPlan kBatchPlan = {HEARTH_BATCH_PLAN};

/// A panel's results are stored at out[token * stride + tile * tile_stride + row].
struct PanelOutput {
  float* out;
  size_t stride, tile_stride;
};

/// The packed weights that will fill the next panel. They are prefetched into the L2 cache one
/// piece at a time while the current panel is multiplied, since prefetching all at once would delay
/// the core's other loads.
class NextPanel {
 public:
  /// Covers the first n_bytes, from `begin` on, of each of n_tiles (at most 2) row tiles, which lie
  /// tile_bytes apart, in at most n_pieces pieces.
  NextPanel(const std::byte* begin, size_t tile_bytes, int n_tiles, size_t n_bytes, int n_pieces)
      : at_(begin),
        end_(begin + (n_tiles > 0 ? n_bytes : 0)),
        second_tile_(n_tiles > 1 ? tile_bytes : 0),
        piece_((n_bytes / static_cast<size_t>(n_pieces) + 63) / 64 * 64) {}

  void prefetch_piece() {
    for (const std::byte* end = at_ + piece_; at_ < end && at_ < end_; at_ += 64) {
      __builtin_prefetch(at_, 0, 2);
      __builtin_prefetch(at_ + second_tile_, 0, 2);
    }
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
  size_t second_tile_;
  size_t piece_;
};

/// A panel has kTiles row tiles x kColumns columns. At most kTokensAtOnce tokens are multiplied at
/// once; for these, prefetch_piece() is called once for every kPieceColumns columns.
///
/// fill() unpacks n_columns columns of kTiles row tiles, which lie tile_bytes apart. It starts at
/// the beginning of a block; n_columns is at most kColumns and a multiple of the format's block.
/// multiply() multiplies these columns, which begin at `column` of the matrix, by all tokens. It
/// adds the products to the output, which holds the sums over earlier columns; at column 0 it
/// starts from 0.
template <class P>
concept PanelKernel = requires(P panel, const std::byte* block, const Activations& activations,
                               const PanelOutput& output, NextPanel next) {
  { P::kTiles } -> std::convertible_to<int>;
  { P::kColumns } -> std::convertible_to<int>;
  { P::kTokensAtOnce } -> std::convertible_to<int>;
  { P::kPieceColumns } -> std::convertible_to<int>;
  panel.fill(block, size_t{} /* tile_bytes */, int{} /* n_columns */);
  panel.multiply(activations, int{} /* column */, int{} /* n_columns */, output, next);
};

/// A variant's panels: one class template for formats with a scale every 32 columns, and another
/// for super-blocks of 256 columns.
template <template <BlockType> class GroupPanel, template <BlockType> class BlockPanel>
struct Panels {
  template <BlockType kType>
  using Kernel = std::conditional_t<block_traits(kType).has_super_block(), BlockPanel<kType>,
                                    GroupPanel<kType>>;
};

}  // namespace
}  // namespace hearth::kernels::cpu
