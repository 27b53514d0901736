// Random matrices with their values as floats, batches of one sequence, and functions that pass
// data to an Ops object.
#pragma once

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <random>
#include <vector>

#include "ops.h"

namespace test {

using hearth::kernels::Batch;
using hearth::kernels::BlockType;
using hearth::kernels::Buffer;
using hearth::kernels::Matrix;
using hearth::kernels::MatrixSource;
using hearth::kernels::Ops;

struct TestMatrix {
  BlockType type;
  int n_rows;
  int n_cols;
  std::vector<std::byte> bytes;
  std::vector<float> weights;  // [n_rows][n_cols], from dequantize_row
  MatrixSource source() const { return {type, bytes.data(), n_rows, n_cols}; }
};

inline TestMatrix random_matrix(BlockType type, int n_rows, int n_cols, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 1 / std::sqrt(static_cast<float>(n_cols)));
  TestMatrix matrix{type, n_rows, n_cols, {}, {}};
  const size_t n = static_cast<size_t>(n_rows) * static_cast<size_t>(n_cols);
  const size_t bytes_per_row = hearth::kernels::row_bytes(type, n_cols);
  matrix.bytes.resize(bytes_per_row * static_cast<size_t>(n_rows));
  matrix.weights.resize(n);
  if (type == BlockType::kF32) {
    for (float& weight : matrix.weights) weight = normal(random);
    std::memcpy(matrix.bytes.data(), matrix.weights.data(), matrix.bytes.size());
    return matrix;
  }
  for (std::byte& byte : matrix.bytes) byte = static_cast<std::byte>(random());
  // A Q8_0 block begins with its scale; in a Q4_K block, the scale for its minima follows. Here
  // each scale is 2^-10, as an IEEE half.
  const size_t block_bytes = static_cast<size_t>(hearth::kernels::block_traits(type).bytes);
  for (size_t block = 0; block < matrix.bytes.size(); block += block_bytes) {
    for (size_t half = 0; half < (type == BlockType::kQ4_K ? 2 : 1); half++) {
      matrix.bytes[block + 2 * half] = std::byte{0x00};
      matrix.bytes[block + 2 * half + 1] = std::byte{0x14};
    }
  }
  for (int row = 0; row < n_rows; row++) {
    hearth::kernels::dequantize_row(
        type, matrix.bytes.data() + static_cast<size_t>(row) * bytes_per_row,
        matrix.weights.data() + static_cast<size_t>(row) * n_cols, n_cols);
  }
  return matrix;
}

/// The natural logarithm of a token's probability in the softmax over a row.
inline double log_probability(const float* logits, int n, uint32_t token) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += std::exp(double{logits[i]} - logits[token]);
  return -std::log(sum);
}

inline std::vector<float> random_floats(size_t n, unsigned seed, float offset = 0) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(offset, 1);
  std::vector<float> floats(n);
  for (float& value : floats) value = normal(random);
  return floats;
}

/// n tokens of one sequence at positions first, first + 1, ... Page i of n_pages has the id n_pages
/// - 1 - i. Token ids are below 40.
struct TestBatch {
  TestBatch(int first, int n, int n_pages) {
    for (int i = 0; i < n; i++) {
      tokens.push_back(static_cast<uint32_t>((first + i) * 13 % 40));
      positions.push_back(first + i);
      sequences.push_back(0);
    }
    for (int i = 0; i < n_pages; i++) pages.push_back(n_pages - 1 - i);
    table[0] = pages;
  }
  Batch batch() const { return {tokens, positions, sequences, table}; }
  std::vector<uint32_t> tokens;
  std::vector<int32_t> positions, sequences, pages;
  std::span<const int32_t> table[1];
};

inline std::unique_ptr<Buffer> to_buffer(Ops& ops, const std::vector<float>& values) {
  std::unique_ptr<Buffer> buffer = ops.buffer(values.size());
  ops.write(buffer->data, values);
  return buffer;
}

inline std::unique_ptr<Matrix> pack(Ops& ops, std::initializer_list<const TestMatrix*> matrices) {
  std::vector<MatrixSource> parts;
  for (const TestMatrix* matrix : matrices) parts.push_back(matrix->source());
  return ops.pack(parts);
}

/// x divided by the root of its mean square and multiplied by norm.
inline std::vector<double> normed(const float* x, const std::vector<float>& norm) {
  double squares = 0;
  for (size_t i = 0; i < norm.size(); i++) squares += double{x[i]} * x[i];
  const double rms = std::sqrt(squares / static_cast<double>(norm.size()) + 1e-6f);
  std::vector<double> out;
  for (size_t i = 0; i < norm.size(); i++) out.push_back(x[i] / rms * norm[i]);
  return out;
}

}  // namespace test
