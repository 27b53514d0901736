#include "packed_matrix.h"

#include <algorithm>
#include <stdexcept>

#include "pack.h"
#include "packed_layout.h"

namespace hearth::kernels::cpu {
namespace {

constexpr size_t kLine = 64;

}  // namespace

PackedMatrix::PackedMatrix(const RowKernels& kernels, ThreadPool& pool, Slabs& slabs,
                           std::span<const MatrixSource> sources)
    : kernels_(kernels) {
  if (sources.empty()) throw std::invalid_argument("a matrix to pack has no parts");
  n_cols = sources.front().n_cols;
  for (const MatrixSource& source : sources) {
    if (source.n_cols != n_cols || source.n_rows <= 0 || n_cols <= 0 ||
        (n_cols % kGroup != 0 && !is_float(source.type))) {
      throw std::invalid_argument(
          "a matrix to pack has parts of unequal width, no rows, or quantized blocks in a width "
          "that is not a multiple of 32");
    }
    const int first_tile = parts_.empty() ? 0 : n_tiles();
    const size_t tile_bytes = cpu::tile_bytes(source.type, n_cols);
    parts_.push_back(
        {{source.type, source.n_rows, n_cols, tile_bytes, nullptr}, n_rows, first_tile});
    n_rows += source.n_rows;
    n_bytes += tile_bytes * static_cast<size_t>(last().packed.n_tiles());
    const bool has_blocks = layout_of(source.type).has_block_scale;
    input_formats_.f32 |= is_float(source.type);
    input_formats_.blocks |= has_blocks;
    input_formats_.groups |= !is_float(source.type) && !has_blocks;
  }
  memory_ = slabs.take(n_bytes);
  const std::byte* data = memory_.data;
  for (Part& part : parts_) {
    part.packed.data = data;
    data += part.packed.tile_bytes * static_cast<size_t>(part.packed.n_tiles());
  }
  constexpr int kTilesPerChunk = 8;
  const int n_chunks = (n_tiles() + kTilesPerChunk - 1) / kTilesPerChunk;
  pool.parallel_for_once(n_chunks, [&](int chunk, int) {
    const int end = std::min(n_tiles(), (chunk + 1) * kTilesPerChunk);
    for (int tile = chunk * kTilesPerChunk; tile < end; tile++) pack_tile(sources, tile);
  });
}

void PackedMatrix::pack_tile(std::span<const MatrixSource> sources, int tile) {
  size_t i = parts_.size() - 1;
  while (parts_[i].first_tile > tile) i--;
  const PackedPart& part = parts_[i].packed;
  const size_t tile_in_part = static_cast<size_t>(tile - parts_[i].first_tile);
  const int first_row = static_cast<int>(tile_in_part) * kTileRows;
  const std::byte* rows =
      sources[i].data + static_cast<size_t>(first_row) * row_bytes(part.type, n_cols);
  const std::byte* packed = part.data + tile_in_part * part.tile_bytes;
  cpu::pack_tile(part.type, rows, std::min(kTileRows, part.n_rows - first_row), n_cols,
                 memory_.data + (packed - memory_.data));
}

const PackedMatrix::Part& PackedMatrix::part_of(int row) const {
  size_t i = parts_.size() - 1;
  while (parts_[i].first_row > row) i--;
  return parts_[i];
}

bool PackedMatrix::rows_fill_tiles() const {
  return std::all_of(parts_.begin(), parts_.end() - 1,
                     [](const Part& part) { return part.packed.n_rows % kTileRows == 0; });
}

int PackedMatrix::tile_of(int row) const {
  const Part& part = part_of(row);
  return part.first_tile + (row - part.first_row) / kTileRows;
}

int PackedMatrix::lane_of(int row) const { return (row - part_of(row).first_row) % kTileRows; }

void PackedMatrix::unpack_row(int row, float* out) const {
  const Part& part = part_of(row);
  const int tile = (row - part.first_row) / kTileRows;
  cpu::unpack_row(part.packed.type,
                  part.packed.data + static_cast<size_t>(tile) * part.packed.tile_bytes,
                  lane_of(row), n_cols, out);
}

void PackedMatrix::matmul(const Activations& activations, int tile_begin, int tile_end, float* out,
                          size_t stride) const {
  for (const Part& part : parts_) {
    const int begin = std::max(tile_begin, part.first_tile);
    const int end = std::min(tile_end, part.first_tile + part.packed.n_tiles());
    if (begin >= end) continue;
    kernels_.matmul(part.packed, activations, begin - part.first_tile, end - part.first_tile,
                    out + (begin - tile_begin) * kTileRows, stride);
  }
}

void PackedMatrix::prefetch(int tile_begin, int tile_end) const {
  const PackedPart& part = parts_.front().packed;
  const std::byte* end = part.data + part.tile_bytes * static_cast<size_t>(tile_end);
  for (const std::byte* at = part.data + part.tile_bytes * static_cast<size_t>(tile_begin);
       at < end; at += kLine)
    __builtin_prefetch(at, 0, 2);
}

void PackedMatrix::matmul_part(int part, const Activations& activations, int tile_begin,
                               int tile_end, float* out, size_t stride) const {
  kernels_.matmul(parts_[static_cast<size_t>(part)].packed, activations, tile_begin, tile_end, out,
                  stride);
}

}  // namespace hearth::kernels::cpu
