// Measures the limits of this CPU with T threads: memory reads and 8-bit integer multiply-adds.
//   g++ -O3 -march=native -std=c++20 -pthread machine_peak.cc -o machine_peak && ./machine_peak 2
// Prints JSON. Each figure is the best of many runs, because it is a limit.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <thread>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace {

using Clock = std::chrono::steady_clock;

/// Seconds from the first thread's start to the last thread's end, in the best of n_runs.
template <typename Work>
double best_seconds(int n_threads, int n_runs, const Work& work) {
  double best = 1e9;
  for (int run = 0; run < n_runs; run++) {
    std::barrier start(n_threads);
    std::vector<Clock::time_point> from(n_threads), to(n_threads);
    std::vector<std::jthread> threads;
    for (int i = 0; i < n_threads; i++) {
      threads.emplace_back([&, i] {
        start.arrive_and_wait();
        from[i] = Clock::now();
        work(i);
        to[i] = Clock::now();
      });
    }
    threads.clear();  // joins
    const auto wall =
        *std::max_element(to.begin(), to.end()) - *std::min_element(from.begin(), from.end());
    best = std::min(best, std::chrono::duration<double>(wall).count());
  }
  return best;
}

/// Reads a buffer that is too large for any cache; each thread reads its own part.
double read_gb_per_second(int n_threads) {
  const size_t ram = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGE_SIZE));
  const size_t n_bytes = std::min<size_t>(size_t{2} << 30, ram / 4) / 4096 * 4096;
  void* memory = mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  madvise(memory, n_bytes, MADV_HUGEPAGE);  // faster, and the engine's weights use huge pages, too
#endif
  std::memset(memory, 1, n_bytes);
  const std::span<const uint64_t> words(static_cast<const uint64_t*>(memory), n_bytes / 8);
  const size_t share = words.size() / n_threads / 64 * 64;
  std::vector<uint64_t> sums(n_threads);
  const double seconds = best_seconds(n_threads, 15, [&](int thread) {
    // Hardware prefetching stops at every 4 KB boundary. Prefetching 2 KB ahead is fastest.
    uint64_t lanes[8] = {};
    const uint64_t* part = words.data() + share * thread;
    for (size_t i = 0; i < share; i += 8) {
      __builtin_prefetch(part + i + 256);
      for (size_t j = 0; j < 8; j++) lanes[j] += part[i + j];
    }
    for (uint64_t lane : lanes) sums[thread] += lane;
  });
  munmap(memory, n_bytes);
  if (std::count(sums.begin(), sums.end(), 0u) > 0) std::abort();  // the loop was optimized away
  return double(share) * 8 * n_threads / seconds / 1e9;
}

#ifdef __x86_64__
/// Runs 12 chains of multiply-adds, enough to hide the latency of each of these instructions. A
/// Step makes kMacs multiply-adds.
template <typename Step>
double gops(int n_threads) {
  constexpr int64_t kRounds = 1'000'000;
  const double seconds = best_seconds(n_threads, 40, [](int) {
    typename Step::Register sums[12] = {};
    typename Step::Register a = {}, b = {};
#pragma GCC unroll 12
    for (auto& sum : sums) asm volatile("" : "+v"(sum));
    for (int64_t i = 0; i < kRounds; i++) {
#pragma GCC unroll 12
      for (auto& sum : sums) {
        asm volatile("" : "+v"(a), "+v"(b));  // keeps the compiler from merging products
        sum = Step::multiply_add(sum, a, b);
      }
    }
#pragma GCC unroll 12
    for (auto& sum : sums) asm volatile("" : : "v"(sum));
  });
  return 2.0 * Step::kMacs * 12 * kRounds * n_threads / seconds / 1e9;
}

#ifdef __AVX512VNNI__
struct Avx512Vnni {
  using Register = __m512i;
  static constexpr int kMacs = 64;
  static Register multiply_add(Register sum, Register a, Register b) {
    return _mm512_dpbusd_epi32(sum, a, b);
  }
};
#endif

#ifdef __AMX_INT8__
/// AMX tiles have 16 rows of 64 bytes. A program must ask Linux for the tile registers.
bool has_amx() {
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

double amx_gops(int n_threads) {
  constexpr int64_t kRounds = 500'000;
  struct alignas(64) {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t column_bytes[16] = {64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16};
  } const shape;
  const double seconds = best_seconds(n_threads, 40, [&](int) {
    _tile_loadconfig(&shape);
    for (int64_t i = 0; i < kRounds; i++) {
      _tile_dpbusd(0, 4, 5);
      _tile_dpbusd(1, 4, 5);
      _tile_dpbusd(2, 4, 5);
      _tile_dpbusd(3, 4, 5);
    }
    _tile_release();
  });
  return 2.0 * (16 * 16 * 64) * 4 * kRounds * n_threads / seconds / 1e9;
}
#endif

#ifdef __AVX2__
/// Without VNNI, a multiply-add of bytes takes three instructions, which widen the products to 16
/// bits and then to 32 bits.
struct Avx2 {
  using Register = __m256i;
  static constexpr int kMacs = 32;
  static Register multiply_add(Register sum, Register a, Register b) {
    const Register pairs = _mm256_maddubs_epi16(a, b);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
};
#endif
#endif  // __x86_64__

}  // namespace

int main(int argc, char** argv) {
  const int n_threads = std::max(1, argc > 1 ? std::atoi(argv[1]) : 2);
  std::printf("{\"threads\": %d, \"readGbPerSecond\": %.1f, \"int8Gops\": {", n_threads,
              read_gb_per_second(n_threads));
#ifdef __AVX512VNNI__
  std::printf("\"avx512vnni\": %.0f, ", gops<Avx512Vnni>(n_threads));
#endif
#ifdef __AMX_INT8__
  if (has_amx()) std::printf("\"amx\": %.0f, ", amx_gops(n_threads));
#endif
#ifdef __AVX2__
  std::printf("\"avx2\": %.0f", gops<Avx2>(n_threads));
#endif
  std::printf("}}\n");
}
