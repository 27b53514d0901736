// Measures the matmul kernels with one thread: `kernels_bench [variant [type]]`. For each type it
// prints: the GB/s of packed weights that stream from memory for 1 token; the times for 4, 8 and 12
// tokens relative to that for 1; and for a prompt of 252 tokens, the GOPS (2 * rows * columns *
// tokens) and their fraction of the peak. Times are the thread's CPU time, the best of several
// runs, so other programs have little effect.
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "../../test/kernels/cpu_variants.h"
#include "../../test/kernels/random_blocks.h"
#include "cpu/pack.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace {

namespace cpu = hearth::kernels::cpu;
using test::BlockType;

constexpr int kColumns = 1536;                    // the hidden state of a 1.5B model
static_assert(kColumns % cpu::kRowColumns == 0);  // buffers require this
constexpr int kChunkTiles = 8,
              kRows = kChunkTiles * cpu::kTileRows;  // a chunk of a prompt's matmul
constexpr size_t kStreamBytes = 384 << 20;           // far larger than a core's caches

double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double best_seconds(int runs, const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < runs; i++) {
    const double begin = thread_seconds();
    work();
    best = std::min(best, thread_seconds() - begin);
  }
  return best;
}

/// Anonymous memory in huge pages, like the engine's weights.
std::byte* huge_memory(size_t n_bytes) {
  void* memory = mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, n_bytes, MADV_HUGEPAGE);
  return static_cast<std::byte*>(memory);
}

// --- the machine's limits ---

#ifdef __x86_64__
/// Runs 12 independent chains of vpdpbusd. At two instructions per cycle and a latency of 5 cycles,
/// 10 chains are enough to keep the units busy.
void multiply_in_registers(int n_loops) {
  for (int i = 0; i < n_loops; i++) {
    asm volatile(".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n vpdpbusd %%zmm12, %%zmm12, %%zmm\\n\n .endr"
                 :
                 :
                 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                   "xmm10", "xmm11");
  }
}

double peak_gops() {
  constexpr int kLoops = 1 << 16;
  const double seconds = best_seconds(50, [] { multiply_in_registers(kLoops); });
  return 128.0 * 12 * kLoops / seconds / 1e9;
}

__attribute__((target("avx512f"))) double read_gbytes(const std::byte* memory) {
  const double seconds = best_seconds(
      5, [&]() __attribute__((target("avx512f"))) {
        for (size_t i = 0; i < kStreamBytes; i += 256) {
          _mm_prefetch(memory + i + 4096, _MM_HINT_T0);
          _mm_prefetch(memory + i + 4160, _MM_HINT_T0);
          _mm_prefetch(memory + i + 4224, _MM_HINT_T0);
          _mm_prefetch(memory + i + 4288, _MM_HINT_T0);
          for (size_t j = 0; j < 256; j += 64) {
            __m512i value = _mm512_load_si512(memory + i + j);
            asm volatile("" : : "v"(value));
          }
        }
      });
  return static_cast<double>(kStreamBytes) / seconds / 1e9;
}
#endif

// --- the kernels ---

struct Tokens {
  Tokens(const cpu::RowKernels& kernels, int n)
      : q(static_cast<size_t>(n + 15) * kColumns),
        block_q(q.size()),
        scales(q.size() / 32),
        sums(q.size() / 32),
        block_scales(q.size() / cpu::kBlock),
        f32(q.size()),
        out(static_cast<size_t>(n) * kRows),
        block_sums(block_scales.size() * cpu::kBlockSums),
        activations{n,
                    kColumns,
                    {q.data(), scales.data(), sums.data()},
                    {block_q.data(), block_scales.data(), block_sums.data()},
                    f32.data()} {
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0, 1);
    std::vector<float> x(kColumns);
    for (int token = 0; token < n; token++) {
      for (float& value : x) value = normal(random);
      kernels.quantize_tokens(x.data(), token, 1, {true, true, true}, activations);
    }
  }
  std::vector<int8_t> q, block_q;
  std::vector<float> scales, sums, block_scales, f32, out;
  std::vector<int16_t> block_sums;
  cpu::Activations activations;
};

/// Seconds per byte of weights for n tokens, if the weights come from memory. The stream of weights
/// is measured in portions, and the best one counts.
double stream_seconds(const cpu::RowKernels& kernels, const cpu::PackedPart& part, int n) {
  Tokens tokens(kernels, n);
  constexpr int kPortions = 48;
  const int n_tiles = part.n_tiles() / kPortions;
  int portion = 0;
  const double seconds = best_seconds(2 * kPortions, [&] {
    const int begin = portion++ % kPortions * n_tiles;
    for (int tile = begin; tile < begin + n_tiles; tile += kChunkTiles) {
      kernels.matmul(part, tokens.activations, tile, std::min(tile + kChunkTiles, begin + n_tiles),
                     tokens.out.data(), kRows);
    }
  });
  return seconds / static_cast<double>(static_cast<size_t>(n_tiles) * part.tile_bytes);
}

/// Seconds for n tokens and kRows rows, which are one of the many chunks of a prompt's matmul.
double prompt_seconds(const cpu::RowKernels& kernels, const cpu::PackedPart& part, int n) {
  Tokens tokens(kernels, n);
  return best_seconds(100, [&] {
    kernels.matmul(part, tokens.activations, 0, kChunkTiles, tokens.out.data(), kRows);
  });
}

void bench(const cpu::RowKernels& kernels, BlockType type, std::byte* memory, double peak) {
  cpu::PackedPart part{type, 0, kColumns, cpu::tile_bytes(type, kColumns), memory};
  const size_t n_tiles = kStreamBytes / part.tile_bytes;
  part.n_rows = static_cast<int>(n_tiles) * cpu::kTileRows;
  const std::vector<std::byte> rows = test::random_rows(type, cpu::kTileRows, kColumns, 1);
  cpu::pack_tile(type, rows.data(), cpu::kTileRows, kColumns, memory);
  for (size_t tile = 1; tile < n_tiles; tile++) {
    std::memcpy(memory + tile * part.tile_bytes, memory, part.tile_bytes);
  }
  const double one = stream_seconds(kernels, part, 1);
  std::printf("%-10s %-7s %6.1f GB/s", kernels.name, hearth::kernels::block_traits(type).name,
              1e-9 / one);
  for (const int n : {4, 8, 12}) {
    std::printf("  n=%d x%.2f", n, stream_seconds(kernels, part, n) / one);
  }
  const double gops = 2.0 * kRows * kColumns * 252 / prompt_seconds(kernels, part, 252) / 1e9;
  std::printf("  n=252 %.0f GOPS", gops);
  if (peak > 0) std::printf(" %.0f %%", 100 * gops / peak);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::byte* memory = huge_memory(kStreamBytes + (1 << 20));
  if (memory == nullptr) return 1;
  std::memset(memory, 1, kStreamBytes);
  double peak = 0;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512vnni")) {
    peak = peak_gops();
    std::printf("peak %.0f GOPS (vpdpbusd), read %.1f GB/s\n", peak, read_gbytes(memory));
  }
#endif
  for (const cpu::RowKernels* kernels : test::usable_row_kernels()) {
    if (argc > 1 && std::string(argv[1]) != kernels->name) continue;
    for (const BlockType type : hearth::kernels::kBlockTypes) {
      const std::string name = hearth::kernels::block_traits(type).name;
      if (argc <= 2 || name == argv[2]) bench(*kernels, type, memory, peak);
    }
  }
}
