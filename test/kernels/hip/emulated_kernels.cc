// The HIP kernels compiled for the CPU; they register themselves by name.
#include "hip/kernels.hip"
