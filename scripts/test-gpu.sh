#!/bin/sh
# Tests the GPU backend on an NVIDIA GPU: `npm run test:gpu`. Tests each op, compares whole models with the CPU, checks
# memory accesses, then measures the speed of models with real shapes: "test-gpu.sh 1.5b:q8_0 7b:q4_k_m". Needs CMake,
# Ninja, g++, and the kernels that `npm run build:gpu` makes, or those that HEARTH_GPU_KERNELS names. GPU_BUILD names
# the build folder.
set -eu
cd "$(dirname "$0")/.."
BUILD=${GPU_BUILD:-build/gpu}
cmake -S native -B "$BUILD" -G Ninja > /dev/null
ninja -C "$BUILD" --quiet gpu_programs
export HEARTH_GPU_KERNELS="${HEARTH_GPU_KERNELS:-dist/gpu/nvidia.fatbin}"
PROGRAMS="$BUILD/hip_tests"

"$PROGRAMS/gpu_ops_tests"
"$PROGRAMS/gpu_model_test" models/starter.gguf
"$PROGRAMS/gpu_model_test" 1.5b:q8_0
"$PROGRAMS/gpu_model_test" 1.5b:q4_k_m
# Some virtual machines hide the GPU from the sanitizer. It says so, and the check is skipped.
memcheck() {
  log="$BUILD/memcheck.log"
  compute-sanitizer --tool memcheck --error-exitcode 1 "$PROGRAMS/gpu_ops_tests" "$1" > "$log" 2>&1 || {
    grep -q "Device not supported" "$log" || { cat "$log"; exit 1; }
    echo "not run: compute-sanitizer does not support this machine's device"
    return
  }
  echo "ok no memory errors in \"$1\""
}
memcheck "GPU logits"
memcheck "GPU SwiGLU"
memcheck "GPU attention"
for model in "${@:-1.5b:q8_0}"; do "$PROGRAMS/gpu_bench" "${model%%:*}" "${model##*:}"; done
