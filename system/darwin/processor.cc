#include "system/processor.h"

#include <pthread.h>
#include <sys/sysctl.h>

#include <thread>

namespace hearth::system {
namespace {

/// The value of an integer sysctl; 0 if the kernel has none of that name.
int kernel_number(const char* name) {
  int number = 0;
  size_t n_bytes = sizeof number;
  return sysctlbyname(name, &number, &n_bytes, nullptr, 0) == 0 ? number : 0;
}

}  // namespace

// On Apple's processors, level 0 are the performance cores; Intel's processors have only one kind.
Cores usable_cores() {
  Cores cores{kernel_number("hw.perflevel0.physicalcpu"),
              kernel_number("hw.perflevel1.physicalcpu")};
  if (cores.n_fast == 0) cores = {kernel_number("hw.physicalcpu"), 0};
  if (cores.n_fast == 0) cores = {static_cast<int>(std::thread::hardware_concurrency()), 0};
  return cores;
}

// Threads of this class run on performance cores. It is meant for work that the user waits for.
void prefer_fast_cores() { pthread_set_qos_class_self_np(QOS_CLASS_USER_INITIATED, 0); }

bool may_use_tiles() { return false; }  // no Mac has Intel's AMX

bool has_dot_products() { return kernel_number("hw.optional.arm.FEAT_DotProd") != 0; }

bool has_matrix_products() { return kernel_number("hw.optional.arm.FEAT_I8MM") != 0; }

}  // namespace hearth::system
