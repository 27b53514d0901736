// Packs a matrix and quantizes tokens for one variant, and multiplies them, without an Ops object.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "cpu/pack.h"
#include "cpu/packed_layout.h"
#include "cpu/row_kernels.h"
#include "cpu_variants.h"
#include "quant_blocks.h"
#include "test.h"

namespace test {

namespace cpu = hearth::kernels::cpu;
using hearth::kernels::BlockType;
using hearth::kernels::row_bytes;

/// The kernels for AMX with emulated instructions, for processors with AVX-512 VNNI; otherwise
/// null.
const cpu::RowKernels* emulated_amx_kernels();

inline std::vector<const cpu::RowKernels*> tested_row_kernels() {
  std::vector<const cpu::RowKernels*> tested = usable_row_kernels();
  const auto is_avx512 = [](const cpu::RowKernels* kernels) {
    return kernels->name == std::string("avx512vnni");
  };
  // A sanitized build does not sanitize these kernels, so it need not test them.
  if (!kIsSanitized && std::any_of(tested.begin(), tested.end(), is_avx512) &&
      emulated_amx_kernels() != nullptr)
    tested.push_back(emulated_amx_kernels());
  return tested;
}

/// A byte buffer that begins `misalign` bytes after a 64-byte boundary.
class Bytes {
 public:
  explicit Bytes(size_t n, size_t misalign = 0)
      : bytes_(new (std::align_val_t{64}) std::byte[n + misalign]), misalign_(misalign) {
    std::memset(bytes_.get(), 0xa5, n + misalign);
  }
  std::byte* data() { return bytes_.get() + misalign_; }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data());
  }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte[], Free> bytes_;
  size_t misalign_;
};

struct Packed {
  Packed(BlockType type, const std::vector<std::byte>& rows, int n_rows, int n_cols)
      : part{type, n_rows, n_cols, cpu::tile_bytes(type, n_cols), nullptr},
        bytes(part.tile_bytes * static_cast<size_t>(part.n_tiles())) {
    for (int tile = 0; tile < part.n_tiles(); tile++) {
      const int first = tile * cpu::kTileRows;
      cpu::pack_tile(type, rows.data() + static_cast<size_t>(first) * row_bytes(type, n_cols),
                     std::min(cpu::kTileRows, n_rows - first), n_cols,
                     bytes.data() + static_cast<size_t>(tile) * part.tile_bytes);
    }
    part.data = bytes.data();
  }
  cpu::PackedPart part;
  Bytes bytes;
};

/// Memory for n quantized tokens, with room for padding, in the form that the type needs.
struct ActivationBuffers {
  ActivationBuffers(BlockType type, int n, int n_cols)
      : formats{!hearth::kernels::is_float(type) && !cpu::layout_of(type).has_block_scale,
                cpu::layout_of(type).has_block_scale, hearth::kernels::is_float(type)},
        n_floats(static_cast<size_t>(n + 15) *
                 static_cast<size_t>((n_cols + cpu::kRowColumns - 1) / cpu::kRowColumns *
                                     cpu::kRowColumns)),
        q(n_floats),
        scales(n_floats / 8),
        sums(n_floats / 4),
        f32(formats.f32 ? n_floats * 4 : 0) {
    activations.n = n;
    activations.n_cols = n_cols;
    activations.groups = {q.as<int8_t>(), scales.as<float>(), sums.as<float>()};
    activations.blocks = {q.as<int8_t>(), scales.as<float>(), sums.as<int16_t>()};
    activations.f32 = f32.as<float>();
  }
  cpu::InputFormats formats;
  size_t n_floats;
  Bytes q, scales, sums, f32;
  cpu::Activations activations;
};

inline std::vector<float> random_tokens(int n, int n_cols, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> x(static_cast<size_t>(n) * static_cast<size_t>(n_cols));
  for (float& value : x) value = normal(random);
  return x;
}

/// Returns the product of n tokens x and tiles [tile_begin, tile_end): [n][16 * tiles]. The output
/// is at an odd multiple of 4 bytes.
inline std::vector<float> run(const cpu::RowKernels& kernels, const Packed& w, const float* x,
                              int n, int tile_begin, int tile_end) {
  const int n_cols = w.part.n_cols;
  ActivationBuffers buffers(w.part.type, n, n_cols);
  const int tile = n > cpu::kTileTokens ? kernels.wide_tile : cpu::kTileTokens;
  for (int token = 0; token < n; token += tile) {
    kernels.quantize_tokens(x + static_cast<size_t>(token) * static_cast<size_t>(n_cols), token,
                            std::min(tile, n - token), buffers.formats, buffers.activations);
  }
  const size_t stride = static_cast<size_t>(tile_end - tile_begin) * cpu::kTileRows;
  Bytes out(stride * static_cast<size_t>(n) * sizeof(float), 4);
  kernels.matmul(w.part, buffers.activations, tile_begin, tile_end, out.as<float>(), stride);
  return {out.as<float>(), out.as<float>() + stride * static_cast<size_t>(n)};
}

inline std::vector<float> run(const cpu::RowKernels& kernels, const Packed& w,
                              const std::vector<float>& x, int n) {
  return run(kernels, w, x.data(), n, 0, w.part.n_tiles());
}

inline bool same_bits(const float* a, const float* b, size_t n) {
  return std::memcmp(a, b, n * sizeof(float)) == 0;
}

}  // namespace test
