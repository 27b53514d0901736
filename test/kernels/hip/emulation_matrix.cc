// Matrix instructions for int8 in the layouts that AMD documents, one lane at a time: every lane
// publishes its operands and computes its own sums from the other lanes' operands.
#include <cstdio>
#include <cstdlib>

#include "emulation.h"

namespace emulation {
namespace {

MatrixUnit chosen = MatrixUnit::kWmma;

struct Operands {
  int8_t a[16], b[16];
};
struct HalfOperands {
  int8_t a[8], b[8];
};

template <int kCount>
int dot(const int8_t (&a)[kCount], const int8_t (&b)[kCount]) {
  int sum = 0;
  for (int i = 0; i < kCount; i++) sum += a[i] * b[i];
  return sum;
}

}  // namespace

MatrixUnit matrix_unit() { return chosen; }
void use_matrix_unit(MatrixUnit unit) { chosen = unit; }

void wmma_16x16x16(int* c, const int (&a)[4], const int (&b)[4]) {
  Operands mine;
  memcpy(mine.a, a, sizeof a), memcpy(mine.b, b, sizeof b);
  const Exchange all(mine, __LINE__);
  const int col = lane() % 16;
  const Operands own = all.of(col), same = all.of(col + 16);
  if (memcmp(&own, &same, sizeof own) != 0) {
    std::fprintf(stderr, "emulation: WMMA whose lanes %d and %d differ\n", col, col + 16);
    std::abort();
  }
  for (int i = 0; i < 8; i++) c[i] += dot(all.of(2 * i + lane() / 16).a, own.b);
}

void wmma12_16x16x16(int* c, const int (&a)[2], const int (&b)[2]) {
  HalfOperands mine;
  memcpy(mine.a, a, sizeof a), memcpy(mine.b, b, sizeof b);
  const Exchange all(mine, __LINE__);
  const int col = lane() % 16;
  const HalfOperands low = all.of(col), high = all.of(col + 16);
  for (int i = 0; i < 8; i++) {
    const int row = 8 * (lane() / 16) + i;
    c[i] += dot(all.of(row).a, low.b) + dot(all.of(row + 16).a, high.b);
  }
}

}  // namespace emulation
