// An adapter adds scale * b (a h) to a product w h, in two steps. Lowering multiplies the input h
// by a, packed weights of eight bits. h is quantized to int8 as for w, and so are the remainders of
// rounding (Activations::remainder_at); together they have about fifteen bits. Raising is part of
// the epilogue: it multiplies the lowered input by b, f16 by float, and adds it to each sum, before
// the factor of a norm, a bias, RoPE, SwiGLU or the residual. Neither step depends on the batch.
//
// For up to eight tokens, a separate launch for lowering would take as long as the product. So the
// product's launch has additional thread blocks, its first ones (lower.hip.h), for lowering. They
// pass the lowered tokens to the other thread blocks in words of global memory (take_word); the
// others multiply by w before they wait for these words. For more tokens, and for float weights,
// the product with a is an ordinary launch.
#pragma once

#include "gpu.hip.h"
#include "params.h"

namespace hearth::kernels::hip {

/// Unpacks the two f16 of a word.
GPU_DEVICE void unpack_halves(float (&to)[2], uint32_t word) {
  to[0] = half_to_float(static_cast<uint16_t>(word));
  to[1] = half_to_float(static_cast<uint16_t>(word >> 16));
}

/// Adds the adapter's part to the products of some tokens with kRows neighbouring rows of this
/// RankTile, from `row` on. remainder_at: as in Added; 0: the remainders have been added already.
template <int kRows, int kTokens>
GPU_DEVICE void raise(const uint8_t* tile, int row, int rank, const float* (&lowered)[kTokens],
                      int remainder_at, float (&products)[kTokens][kRows]) {
  const RankTile head = *reinterpret_cast<const RankTile*>(tile);
  const uint4* b = reinterpret_cast<const uint4*>(tile + sizeof(RankTile)) + row;
  float sums[kTokens][kRows] = {};
  GPU_NO_UNROLL for (int i = 0; i < rank; i += kRankStep, b += kTileRows) {
    float t[kTokens][kRankStep];
    GPU_UNROLL for (int token = 0; token < kTokens; token++) {
      const auto* from = reinterpret_cast<const float4*>(lowered[token] + head.first_rank + i);
      const float4 low = from[0], high = from[1];
      t[token][0] = low.x, t[token][1] = low.y, t[token][2] = low.z, t[token][3] = low.w;
      t[token][4] = high.x, t[token][5] = high.y, t[token][6] = high.z, t[token][7] = high.w;
      if (remainder_at == 0) continue;
      const auto* remainder =
          reinterpret_cast<const float4*>(lowered[token] + head.first_rank + i + remainder_at);
      const float4 r = remainder[0], s = remainder[1];
      t[token][0] += r.x, t[token][1] += r.y, t[token][2] += r.z, t[token][3] += r.w;
      t[token][4] += s.x, t[token][5] += s.y, t[token][6] += s.z, t[token][7] += s.w;
    }
    GPU_UNROLL for (int j = 0; j < kRows; j++) {
      const uint4 words = b[j];
      const uint32_t pairs[4] = {words.x, words.y, words.z, words.w};
      GPU_UNROLL for (int k = 0; k < kRankStep; k += 2) {
        float w[2];
        unpack_halves(w, pairs[k / 2]);
        GPU_UNROLL for (int token = 0; token < kTokens; token++) {
          sums[token][j] = fmaf(w[0], t[token][k], sums[token][j]);
          sums[token][j] = fmaf(w[1], t[token][k + 1], sums[token][j]);
        }
      }
    }
  }
  GPU_UNROLL for (int token = 0; token < kTokens; token++)
      GPU_UNROLL for (int j = 0; j < kRows; j++) products[token][j] =
          fmaf(head.scale, sums[token][j], products[token][j]);
}

/// The round of this launch, which marks its words.
GPU_DEVICE uint32_t round_of(const Added& added) { return *added.first_round + added.round; }

/// log2 of the number of thread blocks that share the columns. Each writes two words per rank.
GPU_DEVICE int log2_row_blocks(const Added& added) {
  return added.log2_slices - added.log2_block_slices;
}

/// Words pass floats between the thread blocks of a launch: the float below, the round above. A
/// word is stored and loaded as a whole, so the float arrives together with the round, and no fence
/// is needed. No two launches have the same round, so words need no clearing.
GPU_DEVICE void put_word(uint64_t* word, float value, uint32_t round) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  store_word(word, uint64_t{round} << 32 | bits);
}

/// A word that is not there after this many loads counts as missing. A load takes about half a
/// microsecond.
inline constexpr int kMaxPolls = 1 << 16;

/// Waits for a word, which has been loaded once already. Its writer always runs or is done: thread
/// blocks start in the order of their indices, the lowering ones are first, and they wait for no
/// others. If the word is still missing after kMaxPolls loads, the result is NaN, so that the
/// error shows in the logits.
GPU_DEVICE float take_word(uint64_t loaded, const uint64_t* word, uint32_t round) {
  GPU_NO_UNROLL for (int i = 0; i < kMaxPolls; i++) {
    if (static_cast<uint32_t>(loaded >> 32) == round) {
      const uint32_t bits = static_cast<uint32_t>(loaded);
      float value;
      memcpy(&value, &bits, sizeof value);
      return value;
    }
    loaded = load_word(word);
  }
  return NAN;
}

}  // namespace hearth::kernels::hip
