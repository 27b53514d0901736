#!/bin/sh
# Builds the HIP kernels for an NVIDIA GPU (nvcc), runs the op suite and the starter model on it, and
# benches true shapes: "test-gpu.sh 1.5b:q8_0 7b:q4_k_m". GPU_BUILD names the build folder.
set -eu
cd "$(dirname "$0")/.."
OUT=${GPU_BUILD:-build/gpu}
ARCH=${GPU_ARCH:-sm_90}
mkdir -p "$OUT"
INCLUDES="-Inative -Ikernels -Ikernels/hip -Itest -Itest/kernels/hip"
# Contraction would differ between kernels that must give the same bits.
nvcc -x cu -std=c++20 -O3 -arch=$ARCH -fmad=false -DGPU_NV_SHIM $INCLUDES -fatbin \
  --expt-relaxed-constexpr kernels/hip/kernels.hip -o "$OUT/kernels.fatbin" &
CPU=""
for source in kernels/cpu/*.cc; do
  flags=""
  case $source in
    */variant_avx2.cc) flags="-mavx2 -mfma -mf16c" ;;
    */variant_avx512.cc) flags="-mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vnni" ;;
  esac
  object="$OUT/$(basename "$source" .cc).cpu.o"
  g++ -std=c++20 -O2 -DNDEBUG -ffp-contract=off $flags -Ikernels -c "$source" -o "$object" &
  CPU="$CPU $object"
done
NATIVE=""
for source in native/forward.cc native/model.cc native/contract.cc native/gguf*.cc native/mapped_file.cc \
  native/hip/self_test.cc; do
  object="$OUT/$(basename "$source" .cc).native.o"
  g++ -std=c++20 -O2 -Ikernels -Inative -c "$source" -o "$object" &
  NATIVE="$NATIVE $object"
done
HOST="kernels/hip/device.cc kernels/hip/launch_queue.cc kernels/hip/hip_matrix.cc \
  kernels/hip/ops_hip.cc kernels/hip/ops_hip_step.cc test/kernels/hip/cuda_api.cc"
OBJECTS=""
for source in $HOST test/kernels/hip/ops_hip_test.cc test/kernels/hip/bench.cc \
  test/kernels/hip/model_test.cc test/test_main.cc; do
  object="$OUT/$(basename "$source" .cc).o"
  nvcc -std=c++20 -O2 -arch=$ARCH $INCLUDES -c "$source" -o "$object" &
  case $source in
    */ops_hip_test.cc | */bench.cc | */model_test.cc | */test_main.cc) ;;
    *) OBJECTS="$OBJECTS $object" ;;
  esac
done
wait
nvcc -arch=$ARCH $OBJECTS $CPU "$OUT/ops_hip_test.o" "$OUT/test_main.o" -o "$OUT/ops_hip_tests" -lpthread
nvcc -arch=$ARCH $OBJECTS $CPU "$OUT/bench.o" -o "$OUT/bench" -lpthread
nvcc -arch=$ARCH $OBJECTS $CPU $NATIVE "$OUT/model_test.o" -o "$OUT/model_test" -lpthread
export HEARTH_GPU_KERNELS="$OUT/kernels.fatbin"
"$OUT/ops_hip_tests"
"$OUT/model_test" models/starter-45m-q6_k.gguf
for model in "$@"; do "$OUT/bench" "${model%%:*}" "${model##*:}"; done
