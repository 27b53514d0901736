#include "hip_matrix.h"

#include <algorithm>
#include <stdexcept>

#include "formats.h"

namespace hearth::kernels::hip {
namespace {

constexpr size_t kChunkBytes = size_t{16} << 20;
constexpr int kPackThreads = 256;

PackedType packed_type(BlockType type, int n_cols) {
  const BlockTraits traits = block_traits(type);
  if (traits.name == nullptr) throw std::invalid_argument("a tensor has an unknown type");
  const size_t n_units = count_units(n_cols);
  PackedType packed = {traits.kernel, traits.is_float(), traits.has_super_block(),
                       size_t{kTileRows} * traits.bytes * n_cols};
  with_quantized_type(type, [&]<BlockType kType>() {
    using L = Layout<kType>;
    packed.tile_bytes = n_units / L::kUnits * L::kRecordBytes;
    packed.unit_bytes = L::kUnitBytes + 16 * L::kTailEntry;
    packed.minima_bytes = L::kMinima ? kBlockUnits * 32 * L::kEntryBytes : 0;
  });
  return packed;
}

/// Merges the sources into strips, which have no data yet.
std::vector<HipStrip> plan(std::span<const MatrixSource> sources) {
  std::vector<HipStrip> strips;
  int row0 = 0;
  for (const MatrixSource& source : sources) {
    const bool is_more = !strips.empty() && strips.back().source_type == source.type;
    if (is_more && strips.back().n_rows % 32 == 0) {
      strips.back().n_rows += source.n_rows;
    } else {
      HipStrip& strip = strips.emplace_back();
      strip.source_type = source.type;
      strip.type = packed_type(source.type, source.n_cols);
      strip.row0 = row0;
      strip.n_rows = source.n_rows;
    }
    row0 += source.n_rows;
  }
  const int n_units = count_units(sources[0].n_cols);
  for (HipStrip& strip : strips)
    strip.slices = RowSlices::of(n_units, strip.n_tiles(), strip.type.has_blocks);
  return strips;
}

/// Uploads the rows of a source and packs them into the tiles from `to` on, in chunks of whole
/// tiles.
void pack_source(Device& device, const MatrixSource& source, uint8_t* to, const Memory& raw) {
  const PackedType type = packed_type(source.type, source.n_cols);
  const size_t bytes = row_bytes(source.type, source.n_cols);
  if (type.is_float) {
    device.upload(to, source.data, bytes * source.n_rows);
    return;
  }
  Launch launch;
  launch.function = device.function(std::string("pack_") + type.name);
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
    p.n_units = count_units(source.n_cols);
    device.upload(raw.as(), source.data + row * bytes, p.n_rows * bytes);
    launch.grid = {ceil_div(p.n_rows, kTileRows), ceil_div(p.n_units, kPackThreads / 32), 1};
    launch.set(p);
    device.launch(launch);
  }
}

}  // namespace

size_t packed_bytes(BlockType type, int n_rows, int n_cols) {
  return padded_tiles(n_rows) * packed_type(type, n_cols).tile_bytes;
}

std::unique_ptr<HipMatrix> pack_matrix(Device& device, std::span<const MatrixSource> sources,
                                       const char* purpose, size_t n_more) {
  auto matrix = std::make_unique<HipMatrix>();
  matrix->strips = plan(sources);
  size_t n_bytes = 0, n_raw_bytes = 0;
  for (const HipStrip& strip : matrix->strips) n_bytes += strip.n_tiles() * strip.type.tile_bytes;
  for (const MatrixSource& source : sources) {
    matrix->n_rows += source.n_rows;
    matrix->n_cols = source.n_cols;
    const size_t bytes = row_bytes(source.type, source.n_cols);
    n_raw_bytes = std::max(
        n_raw_bytes, std::min(bytes * source.n_rows, std::max(kChunkBytes, bytes * kTileRows)));
  }
  matrix->n_bytes = n_bytes;
  matrix->memory = device.allocate(n_bytes + n_more, purpose);
  const Memory raw = device.allocate(n_raw_bytes, "packing");
  uint8_t* to = matrix->memory.as<uint8_t>();
  for (HipStrip& strip : matrix->strips) {
    strip.data = to;
    to += strip.n_tiles() * strip.type.tile_bytes;
    matrix->has_floats |= strip.type.is_float;
  }
  int row = 0;
  size_t i = 0;
  for (const MatrixSource& source : sources) {
    while (row >= matrix->strips[i].row0 + matrix->strips[i].n_rows) i++;
    const HipStrip& strip = matrix->strips[i];
    const int tile = (row - strip.row0) / kTileRows;
    pack_source(device, source, const_cast<uint8_t*>(strip.data) + tile * strip.type.tile_bytes,
                raw);
    row += source.n_rows;
  }
  device.wait();  // raw is freed now
  return matrix;
}

}  // namespace hearth::kernels::hip
