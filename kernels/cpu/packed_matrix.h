// A matrix in the packed layout for the CPU: tiles of 16 rows. Its parts can have different
// formats, and each part begins a new tile.
#pragma once

#include <span>
#include <vector>

#include "arena.h"
#include "ops.h"
#include "row_kernels.h"
#include "thread_pool.h"

namespace hearth::kernels::cpu {

class PackedMatrix final : public Matrix {
 public:
  PackedMatrix(const RowKernels& kernels, ThreadPool& pool, Slabs& slabs,
               std::span<const MatrixSource> sources);

  /// All tiles in order, n_bytes in total.
  const std::byte* data() const { return memory_.data; }
  int n_tiles() const { return last().first_tile + last().packed.n_tiles(); }
  /// The mean size of a tile, over all parts.
  size_t tile_bytes() const { return n_bytes / static_cast<size_t>(n_tiles()); }
  /// The forms of an input that its parts read.
  InputFormats input_formats() const { return input_formats_; }
  /// Whether every part but the last has a multiple of 16 rows, so that row = 16 * tile + lane.
  bool rows_fill_tiles() const;
  /// The tile of a row, and its lane in the tile.
  int tile_of(int row) const;
  int lane_of(int row) const;

  /// Unpacks a row to float. out [n_cols].
  void unpack_row(int row, float* out) const;
  /// RowKernels::matmul over the tiles of all parts.
  void matmul(const Activations& activations, int tile_begin, int tile_end, float* out,
              size_t stride) const;
  /// Starts loading tiles of the first part into the L2 cache.
  void prefetch(int tile_begin, int tile_end) const;
  /// RowKernels::matmul over tiles of one part, counted from the part's first tile.
  void matmul_part(int part, const Activations& activations, int tile_begin, int tile_end,
                   float* out, size_t stride) const;

 private:
  struct Part {
    PackedPart packed;
    int first_row = 0;
    int first_tile = 0;
  };
  const Part& last() const { return parts_.back(); }
  const Part& part_of(int row) const;
  void pack_tile(std::span<const MatrixSource> sources, int tile);

  const RowKernels& kernels_;
  std::vector<Part> parts_;
  InputFormats input_formats_;
  Slabs::Piece memory_;
};

}  // namespace hearth::kernels::cpu
