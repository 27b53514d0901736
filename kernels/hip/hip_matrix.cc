#include "hip_matrix.h"

#include <algorithm>
#include <stdexcept>

#include "formats.h"

namespace hearth::kernels::hip {
namespace {

constexpr size_t kChunkBytes = size_t{16} << 20;
constexpr int kPackThreads = 256;

/// The sources merged into parts, without data yet.
std::vector<HipPart> plan(std::span<const MatrixSource> sources) {
  std::vector<HipPart> parts;
  int row0 = 0;
  for (const MatrixSource& source : sources) {
    if (!parts.empty() && parts.back().type == source.type && parts.back().n_rows % 32 == 0) {
      parts.back().n_rows += source.n_rows;
    } else {
      const PackedType type = packed_type(source.type, source.n_cols);
      parts.push_back({source.type, nullptr, row0, source.n_rows, type.tile_bytes});
    }
    row0 += source.n_rows;
  }
  return parts;
}

/// Rows from the file to the tiles that begin at `to`, a chunk of whole tiles at a time.
void pack_source(Device& device, const MatrixSource& source, uint8_t* to, const Memory& raw) {
  const PackedType type = packed_type(source.type, source.n_cols);
  const size_t bytes = row_bytes(source.type, source.n_cols);
  if (type.is_float) {
    device.upload(to, source.data, bytes * source.n_rows);
    return;
  }
  Launch launch;
  launch.function = device.function("pack_" + type.name);
  if (!launch.function) throw std::runtime_error("the GPU kernels lack pack_" + type.name);
  launch.block = kPackThreads;
  const int chunk_rows = std::max<int>(1, kChunkBytes / bytes / kTileRows) * kTileRows;
  for (int row = 0; row < source.n_rows; row += chunk_rows) {
    PackParams p = {};
    p.n_rows = std::min(chunk_rows, source.n_rows - row);
    p.rows = raw.as<uint8_t>();
    p.tiles = to + row / kTileRows * type.tile_bytes;
    p.row_bytes = bytes;
    p.tile_bytes = type.tile_bytes;
    p.n_cols = source.n_cols;
    p.n_units = (source.n_cols + kUnit - 1) / kUnit;
    device.upload(raw.as(), source.data + row * bytes, p.n_rows * bytes);
    const unsigned n_tiles = (p.n_rows + kTileRows - 1) / kTileRows;
    const unsigned units_a_block = kPackThreads / 32;
    launch.grid = {n_tiles, (p.n_units + units_a_block - 1) / units_a_block, 1};
    launch.set(p);
    device.launch(launch);
  }
}

template <BlockType kType>
constexpr int minima_bytes() {
  return Layout<kType>::kMinima ? kBlockUnits * 32 * Layout<kType>::kEntryBytes : 0;
}

}  // namespace

PackedType packed_type(BlockType type, int n_cols) {
  const size_t n_units = (n_cols + kUnit - 1) / kUnit;
  switch (type) {
#define PACKED_CASE(name, id)                                                              \
  case BlockType::id:                                                                      \
    return {#name, false,                                                                  \
            n_units / Layout<BlockType::id>::kUnits * Layout<BlockType::id>::kRecordBytes, \
            Layout<BlockType::id>::kUnitBytes + 16 * Layout<BlockType::id>::kTailEntry,    \
            minima_bytes<BlockType::id>()};
    HEARTH_PACKED_FORMATS(PACKED_CASE)
#undef PACKED_CASE
    case BlockType::kF32:
      return {"f32", true, size_t{16} * 4 * n_cols};
    case BlockType::kF16:
      return {"f16", true, size_t{16} * 2 * n_cols};
    case BlockType::kBF16:
      return {"bf16", true, size_t{16} * 2 * n_cols};
  }
  throw std::invalid_argument("the GPU kernels do not know this tensor type");
}

std::unique_ptr<HipMatrix> pack_matrix(Device& device, std::span<const MatrixSource> sources) {
  auto matrix = std::make_unique<HipMatrix>();
  matrix->parts = plan(sources);
  size_t n_bytes = 0, most_row_bytes = 0;
  for (const HipPart& part : matrix->parts) n_bytes += part.n_tiles() * part.tile_bytes;
  for (const MatrixSource& source : sources) {
    matrix->n_rows += source.n_rows;
    matrix->n_cols = source.n_cols;
    most_row_bytes = std::max(most_row_bytes, row_bytes(source.type, source.n_cols));
  }
  matrix->n_bytes = n_bytes;
  matrix->memory = device.allocate(n_bytes, "the model's weights");
  const Memory raw = device.allocate(std::max(kChunkBytes, most_row_bytes * kTileRows), "packing");
  uint8_t* to = matrix->memory.as<uint8_t>();
  for (HipPart& part : matrix->parts) {
    part.data = to;
    to += part.n_tiles() * part.tile_bytes;
  }
  int row = 0;
  size_t i = 0;
  for (const MatrixSource& source : sources) {
    while (row >= matrix->parts[i].row0 + matrix->parts[i].n_rows) i++;
    const HipPart& part = matrix->parts[i];
    const int tile = (row - part.row0) / kTileRows;
    pack_source(device, source, const_cast<uint8_t*>(part.data) + tile * part.tile_bytes, raw);
    row += source.n_rows;
  }
  device.wait();  // raw is freed now
  return matrix;
}

}  // namespace hearth::kernels::hip
