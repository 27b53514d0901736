#include "packed.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <thread>

#include "cpu/half.h"
#include "file_blocks.h"

namespace hearth::kernels::webgpu {
namespace {

int padded(int n, int to) { return (n + to - 1) / to * to; }

/// The words of a strip before they are uploaded.
struct Words {
  std::vector<uint32_t> codes, scales;
};

/// The location of the words of a row (lane `lane` of a tile) and group: the index among all
/// groups, all pairs of groups, or all super-blocks of eight groups.
struct Place {
  size_t tile, lane, group, n_groups;
  size_t of_group() const { return (tile * n_groups + group) * kTileRows + lane; }
  size_t of_pair() const { return (tile * (n_groups / 2) + group / 2) * kTileRows + lane; }
  size_t of_block() const { return (tile * (n_groups / 8) + group / 8) * kTileRows + lane; }
};

/// Puts the low four bits of 32 codes into four words: columns 0 to 15 into the low nibbles, 16 to
/// 31 into the high ones.
void put_nibbles(const uint8_t* w, uint32_t* to) {
  for (int k = 0; k < 16; k++)
    to[k / 4] |= static_cast<uint32_t>((w[k] & 15) | (w[k + 16] & 15) << 4) << (8 * (k % 4));
}

void put_q4_k(const FileGroup& x, const Place& at, size_t blocks, Words& to) {
  put_nibbles(x.w, &to.codes[4 * at.of_group()]);
  to.scales[at.of_pair()] |= static_cast<uint32_t>(uint8_t(x.scales[0]) | uint8_t(x.minima[0]) << 8)
                             << (16 * (at.group % 2));
  to.scales[blocks + at.of_block()] = x.d | uint32_t{x.dmin} << 16;
}

void put_q6_k(const FileGroup& x, const Place& at, size_t blocks, size_t high, Words& to) {
  uint8_t w[32];
  // Subtracts the zero point 32: the six bits become two's complement.
  for (int k = 0; k < 32; k++) w[k] = x.w[k] ^ 32;
  put_nibbles(w, &to.codes[4 * at.of_group()]);
  for (int half = 0; half < 2; half++) {
    uint32_t& word = to.codes[4 * (high + at.of_pair()) + 2 * (at.group % 2) + half];
    for (int k = 0; k < 16; k++)
      word |= static_cast<uint32_t>(w[16 * half + k] >> 4) << (8 * (k % 4) + 2 * (k / 4));
  }
  to.scales[at.of_pair()] |= static_cast<uint32_t>(uint8_t(x.scales[0]) | uint8_t(x.scales[1]) << 8)
                             << (16 * (at.group % 2));
  to.scales[blocks + at.of_block()] = x.d;
}

void put_int8(const FileGroup& x, const BlockTraits& traits, const Layout& layout, const Place& at,
              Words& to) {
  const int zero = traits.low_bits == 8 ? 128 : traits.zero_point;
  const CodeBookValues book = values_of(traits.book);
  const size_t base = (at.tile * at.n_groups + at.group) * 2 * kTileRows + at.lane;
  for (int k = 0; k < 32; k++) {
    const int value = traits.has_book() ? book.w[x.w[k]] : x.w[k] - zero;
    to.codes[4 * (base + static_cast<size_t>(k / 16) * kTileRows) + k % 16 / 4] |=
        static_cast<uint32_t>(uint8_t(value)) << (8 * (k % 4));
  }
  const int n = layout.n_scales + layout.n_minima;
  const auto put = [&](int i, float value) {
    const size_t word = ((at.tile * at.n_groups + at.group) * n + i) * kTileRows + at.lane;
    std::memcpy(&to.scales[word], &value, sizeof value);
  };
  const float d = cpu::f16_to_f32(x.d), dmin = cpu::f16_to_f32(x.dmin);
  for (int i = 0; i < layout.n_scales; i++) put(i, d * x.scales[i]);
  for (int i = 0; i < layout.n_minima; i++)
    put(layout.n_scales + i, -(dmin * static_cast<float>(uint8_t(x.minima[i]))));
}

struct Sizes {
  size_t codes, scales;  // bytes
};

/// The sizes of a packed matrix. n_groups is the even number of groups of 32 columns in a row.
Sizes sizes_of(BlockType type, int n_rows, int n_groups) {
  const size_t groups = size_t(padded(n_rows, kPaddedRows)) * n_groups, weights = 32 * groups;
  if (type == BlockType::kQ4_K) return {weights / 2, groups * 5 / 2};
  if (type == BlockType::kQ6_K) return {weights * 3 / 4, groups * 5 / 2};
  const Layout layout = layout_of(type);
  if (!layout.file) return {4 * weights, 0};
  return {weights, groups * 4 * (layout.n_scales + layout.n_minima)};
}

/// Packs rows [row0, row0 + strip.n_rows) of a source.
Words pack_rows(const MatrixSource& source, int row0, const Strip& strip) {
  const int rows = padded(strip.n_rows, kPaddedRows);
  const size_t tiles = rows / kTileRows, groups = strip.n_groups, n = tiles * groups * kTileRows;
  const BlockTraits traits = block_traits(source.type);
  Words words;
  const bool is_q4 = source.type == BlockType::kQ4_K, is_q6 = source.type == BlockType::kQ6_K;
  const Sizes sizes = sizes_of(source.type, strip.n_rows, strip.n_groups);
  words.codes.resize(sizes.codes / sizeof(uint32_t));
  words.scales.resize(sizes.scales / sizeof(uint32_t));
  const auto pack = [&](int first, int step) {
    for (int tile = first; tile * kTileRows < strip.n_rows; tile += step) {
      for (int row = tile * kTileRows; row < std::min(strip.n_rows, (tile + 1) * kTileRows);
           row++) {
        const std::byte* from = source.data + (row0 + row) * row_bytes(source.type, source.n_cols);
        for (int g = 0; g < source.n_cols / 32; g++) {
          FileGroup x;
          read_group(source.type, from, g, x);
          const Place at{size_t(tile), size_t(row % kTileRows), size_t(g), groups};
          if (is_q4)
            put_q4_k(x, at, n / 2, words);
          else if (is_q6)
            put_q6_k(x, at, n / 2, n, words);
          else
            put_int8(x, traits, strip.layout, at, words);
        }
      }
    }
  };
  const int n_threads = std::clamp<int>(std::thread::hardware_concurrency(), 1, 8);
  if (n < 4096) {
    pack(0, 1);
    return words;
  }
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(n_threads));
  int next = 1;  // the calling thread packs the tiles for number 0
  try {
    for (; next < n_threads; next++) threads.emplace_back(pack, next, n_threads);
  } catch (const std::exception&) {
    // The system refuses more threads, as containers do. This thread packs the rest.
  }
  pack(0, n_threads);
  for (; next < n_threads; next++) pack(next, n_threads);
  for (std::thread& thread : threads) thread.join();
  return words;
}

/// Packs rows [row0, row0 + strip.n_rows) of a source in the layout of float_product.wgsl.
Words pack_floats(const MatrixSource& source, int row0, const Strip& strip) {
  const size_t rows = padded(strip.n_rows, kPaddedRows), n_cols = source.n_cols;
  Words words;
  words.codes.resize(rows * n_cols);
  std::vector<float> values(n_cols);
  for (size_t row = 0; row < static_cast<size_t>(strip.n_rows); row++) {
    dequantize_row(source.type, source.data + (row0 + row) * row_bytes(source.type, source.n_cols),
                   values.data(), source.n_cols);
    for (size_t k = 0; k < n_cols; k++)
      std::memcpy(&words.codes[((row / 64 * (n_cols / 4) + k / 4) * 64 + row % 64) * 4 + k % 4],
                  &values[k], sizeof values[k]);
  }
  return words;
}

}  // namespace

Layout layout_of(BlockType type) {
  const BlockTraits traits = block_traits(type);
  if (traits.is_float()) return {};
  const int block = traits.has_super_block() ? 8 : 1;
  if (type == BlockType::kQ4_K) return {"format_q4_k", block, 0, 0};
  if (type == BlockType::kQ6_K) return {"format_q6_k", block, 0, 0};
  const int n = traits.scale_columns() == 16 ? 2 : 1;
  return {"format_int8", block, n, traits.has_min() ? n : 0};
}

size_t packed_bytes(BlockType type, int n_rows, int n_cols) {
  const Sizes sizes = sizes_of(type, n_rows, padded(n_cols / 32, 2));
  return sizes.codes + sizes.scales;
}

Constants Strip::constants() const {
  const long groups = n_groups, lanes = long{padded(n_rows, kPaddedRows)} * groups;
  return {{"G", groups},
          {"S2", lanes / 2},
          {"W2", lanes},
          {"SCALES", layout.n_scales},
          {"MINIMA", layout.n_minima}};
}

std::unique_ptr<PackedMatrix> pack_matrix(Device& device, std::span<const MatrixSource> sources) {
  auto matrix = std::make_unique<PackedMatrix>();
  matrix->n_cols = sources[0].n_cols;
  for (const MatrixSource& source : sources) {
    for (int row = 0; row < source.n_rows;) {
      Strip strip;
      strip.type = source.type;
      strip.layout = layout_of(source.type);
      strip.row0 = matrix->n_rows + row;
      strip.n_groups = padded(source.n_cols / 32, 2);
      const size_t per_64 = sizes_of(source.type, kPaddedRows, strip.n_groups).codes;
      const size_t most = std::min(device.limits().storage_bytes, device.limits().buffer_bytes);
      strip.n_rows = static_cast<int>(
          std::min<size_t>(source.n_rows - row, std::max<size_t>(1, most / per_64) * kPaddedRows));
      const Words words =
          strip.layout.file ? pack_rows(source, row, strip) : pack_floats(source, row, strip);
      for (const auto& [from, to] :
           {std::pair(&words.codes, &strip.codes), std::pair(&words.scales, &strip.scales)}) {
        *to = device.allocate(from->size() * sizeof(uint32_t), "weights");
        device.upload(to->buffer(), 0, std::as_bytes(std::span(*from)));
        matrix->n_bytes += from->size() * sizeof(uint32_t);
      }
      row += strip.n_rows;
      matrix->strips.push_back(std::move(strip));
    }
    matrix->n_rows += source.n_rows;
  }
  return matrix;
}

}  // namespace hearth::kernels::webgpu
