// Matrix instructions for int8 as AMD documents their layouts, one lane at a time: every lane
// publishes its operands and computes its own sums from the others'.
#include <cstdio>
#include <cstdlib>

#include "emulation.h"

namespace emulation {
namespace {

MatrixUnit chosen = MatrixUnit::kWmma;

struct Operands {
  int a[4], b[4];
};

const Operands& operands_of(int lane) { return *static_cast<const Operands*>(published(lane)); }

int byte_of(int word, int i) { return int8_t(word >> 8 * i); }

}  // namespace

MatrixUnit matrix_unit() { return chosen; }
void use_matrix_unit(MatrixUnit unit) { chosen = unit; }

void wmma_16x16x16(int* c, const int (&a)[4], const int (&b)[4]) {
  const Operands mine{{a[0], a[1], a[2], a[3]}, {b[0], b[1], b[2], b[3]}};
  exchange(&mine, sizeof mine, __LINE__);
  const int lane = thread_index().x % 32, col = lane % 16;
  if (memcmp(&operands_of(col), &operands_of(col + 16), sizeof mine) != 0) {
    std::fprintf(stderr, "emulation: WMMA whose lanes %d and %d differ\n", col, col + 16);
    std::abort();
  }
  for (int i = 0; i < 8; i++) {
    const int row = 2 * i + lane / 16;
    for (int k = 0; k < 16; k++)
      c[i] += byte_of(operands_of(row).a[k / 4], k % 4) * byte_of(operands_of(col).b[k / 4], k % 4);
  }
}

void wmma12_16x16x16(int* c, const int (&a)[2], const int (&b)[2]) {
  const Operands mine{{a[0], a[1]}, {b[0], b[1]}};
  exchange(&mine, sizeof mine, __LINE__);
  const int lane = thread_index().x % 32, col = lane % 16;
  for (int i = 0; i < 8; i++) {
    const int row = 8 * (lane / 16) + i;
    for (int k = 0; k < 16; k++)
      c[i] += byte_of(operands_of(row + 16 * (k / 8)).a[k % 8 / 4], k % 4) *
              byte_of(operands_of(col + 16 * (k / 8)).b[k % 8 / 4], k % 4);
  }
}

}  // namespace emulation
