// Every kernel that the host launches, by name. scripts/build-gpu.mjs compiles this file for each
// GPU architecture.
#include "argmax.hip.h"
#include "attention.hip.h"
#include "batch.hip.h"
#include "decode_attention.hip.h"
#include "experts.hip.h"
#include "float_weights.hip.h"
#include "head_norms.hip.h"
#include "lower.hip.h"
#include "matmul.hip.h"
#include "matvec.hip.h"
#include "pack.hip.h"
#include "routes.hip.h"
#include "wide_matmul.hip.h"

namespace hearth::kernels::hip {

// matvec_<format>: one token (GEMV); stream_<format>_8: 2 to 8; wide_<format>_<tokens>x<tiles>:
// GEMM; experts_<format>_<rows>: a mixture of experts. The launch bounds limit the registers of a
// thread.
#define FORMAT_KERNELS(type, name, ...)                                                     \
  GPU_KERNEL(pack_##name, PackParams, 256) { pack_unit<BlockType::k##type>(p); }            \
  GPU_KERNEL(embed_##name, EmbedParams, kMailThreads) { embed_row<BlockType::k##type>(p); } \
  GPU_KERNEL_RESIDENT(matvec_##name, MatmulParams, 256, 2) {                                \
    is_lowering(p) ? lower<BlockType::k##type>(p) : matvec<BlockType::k##type>(p);          \
  }                                                                                         \
  GPU_KERNEL_RESIDENT(stream_##name##_8, MatmulParams, 512, 1) {                            \
    is_lowering(p) ? lower<BlockType::k##type>(p) : stream_matmul<BlockType::k##type>(p);   \
  }                                                                                         \
  GPU_KERNEL(experts_##name##_8, ExpertParams, kExpertThreads) {                            \
    multiply_experts<BlockType::k##type>(p);                                                \
  }                                                                                         \
  GPU_KERNEL_RESIDENT(experts_##name##_32, ExpertParams, kExpertThreads, 3) {               \
    multiply_many_rows<BlockType::k##type>(p);                                              \
  }                                                                                         \
  GPU_KERNEL(wide_##name##_32x2, MatmulParams, GPU_WIDE_THREADS) {                          \
    wide_matmul<BlockType::k##type, 32, 2>(p);                                              \
  }                                                                                         \
  GPU_KERNEL(wide_##name##_32x4, MatmulParams, GPU_WIDE_THREADS) {                          \
    wide_matmul<BlockType::k##type, 32, 4>(p);                                              \
  }                                                                                         \
  GPU_KERNEL(wide_##name##_64x4, MatmulParams, GPU_WIDE_THREADS) {                          \
    wide_matmul<BlockType::k##type, 64, 4>(p);                                              \
  }

HEARTH_QUANTIZED_FORMATS(FORMAT_KERNELS)

#define FLOAT_KERNELS(type, name, ...)                                                      \
  GPU_KERNEL(embed_##name, EmbedParams, kMailThreads) { embed_float_row<type##Weight>(p); } \
  GPU_KERNEL(float_##name##_1, MatmulParams, 256) { float_matmul<type##Weight, 1>(p); }     \
  GPU_KERNEL(float_##name##_2, MatmulParams, 256) { float_matmul<type##Weight, 2>(p); }

HEARTH_FLOAT_FORMATS(FLOAT_KERNELS)

#define ATTENTION_KERNEL(head_dim)                                                                \
  GPU_KERNEL(attention_##head_dim, AttentionParams, GPU_WIDE_THREADS) { attention<head_dim>(p); } \
  GPU_KERNEL(decode_attention_##head_dim, AttentionParams, kDecodeThreads) {                      \
    decode_attention<head_dim, false>(p);                                                         \
  }

ATTENTION_KERNEL(32)
ATTENTION_KERNEL(64)
ATTENTION_KERNEL(128)
ATTENTION_KERNEL(256)
// For many thread blocks: two of them should fit a compute unit. With 32 and 64 dimensions two fit
// anyway, with 256 never.
GPU_KERNEL_RESIDENT(decode_attention_128_many, AttentionParams, kDecodeThreads, 2) {
  decode_attention<128, true>(p);
}

GPU_KERNEL(take_batch_512, BatchParams, kMailThreads) { take_batch(p); }
GPU_KERNEL(norm_heads_128, HeadNormParams, kHeadNormThreads) { norm_heads(p); }
GPU_KERNEL(norm_quantize_128, NormParams, kNormThreads) { norm_quantize(p); }
GPU_KERNEL(route_512, RouteParams, kRouteThreads) { route(p); }
GPU_KERNEL(choose_128, RouteParams, kChooseThreads) { choose(p); }
GPU_KERNEL(plan_512, RouteParams, kRouteThreads) { plan(p); }
GPU_KERNEL(add_experts_256, AddExpertsParams, 256) { add_experts(p); }
GPU_KERNEL(argmax_512, ArgmaxParams, kArgmaxThreads) { argmax(p); }
GPU_KERNEL(gather_256, GatherParams, 256) { gather(p); }

}  // namespace hearth::kernels::hip
