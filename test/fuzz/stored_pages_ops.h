// A backend that stores pages and computes nothing.
#pragma once

#include <algorithm>
#include <map>

#include "fuzz.h"
#include "ops.h"

namespace fuzz {

class StoredPagesOps final : public hearth::kernels::Ops {
 public:
  static constexpr size_t kPageBytes = 16;
  std::map<int, std::vector<std::byte>> pages;

  size_t kv_page_bytes() const override { return kPageBytes; }
  void read_page(std::span<std::byte> destination, int page) override {
    std::ranges::copy(pages.at(page), destination.begin());
  }
  void write_page(int page, std::span<const std::byte> source) override {
    EXPECT(source.size() == kPageBytes);
    pages[page].assign(source.begin(), source.end());
  }

  std::string description() const override { return "pages alone"; }
  std::unique_ptr<hearth::kernels::Matrix> pack(
      std::span<const hearth::kernels::MatrixSource>) override {
    std::abort();
  }
  std::unique_ptr<hearth::kernels::Buffer> buffer(size_t) override { std::abort(); }
  void write(float*, std::span<const float>) override { std::abort(); }
  void read(std::span<float>, const float*) override { std::abort(); }
  void make_kv_pool(const hearth::kernels::AttentionShape&, int) override { std::abort(); }
  void copy_page(int, int, int) override { std::abort(); }
  void begin(const hearth::kernels::Batch&) override { std::abort(); }
  void embed(const hearth::kernels::Matrix&, float*) override { std::abort(); }
  void norm_qkv(int, const float*, float, const hearth::kernels::Weights&, const float*,
                const float*, float*) override {
    std::abort();
  }
  hearth::kernels::ProductInput attention(int, const float*, float*,
                                          const hearth::kernels::Matrix*) override {
    std::abort();
  }
  void matmul_add(const hearth::kernels::Weights&, hearth::kernels::ProductInput, float*) override {
    std::abort();
  }
  hearth::kernels::ProductInput norm_gate_up(const float*, float, const hearth::kernels::Weights&,
                                             const float*, float*,
                                             const hearth::kernels::Matrix*) override {
    std::abort();
  }
  void norm_head(const float*, float, const hearth::kernels::Matrix&, const float*,
                 std::span<const int32_t>, float*) override {
    std::abort();
  }
  void norm_head_candidates(const float*, float, const hearth::kernels::Matrix&, const float*,
                            int32_t, std::span<const uint32_t>, float*) override {
    std::abort();
  }
  void argmax(const float*, int, int, std::span<hearth::kernels::Argmax>) override { std::abort(); }
};

}  // namespace fuzz
