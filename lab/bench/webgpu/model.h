// A model in qwen2's shape. Its weights are random, in Q4_K and Q6_K as in a file of type Q4_K_M.
#pragma once
#include "gpu.h"

struct Model {
  int hidden = 1536, heads = 12, kv = 2, ffn = 8960, vocab = 151936, layers = 28, context = 1024,
      batch = 512;
  float eps = 1e-6f;
};
extern Model model;
extern bool is_small, is_mid;  // models for trying the kernels without a GPU

u32 random_word();
float random_float();  // from -1 to 1
uint16_t half(float f);
float unhalf(uint16_t u);
string wgsl(long v);  // v as a WGSL constant of type u32

/// A matrix of R rows and K columns, packed as in kernels/weights.wgsl. kind: 4 for Q4_K, 6 for
/// Q6_K.
struct PackedMatrix {
  int kind = 4, R = 0, K = 0;
  WGPUBuffer w = nullptr, s = nullptr;
  double bytes() const { return double(R) * K / 32 * (kind == 4 ? 18.5 : 26.5); }
};
/// The constants that follow from a matrix's shape.
Consts consts(int R, int K);
void add(Consts& c, const Consts& more);
/// The constants that follow from the model.
Consts shape_consts();

/// The products of a layer, and the head. GU: gate and up.
enum Shape { QKV, O, GU, DOWN, HEAD, kShapes };
inline const char* const kName[] = {"qkv", "o", "gate_up", "down", "head"};
int rows(int shape);
int cols(int shape);
/// The number of parts into which a product's columns are divided for a batch.
extern int parts_of[kShapes];

struct Layer {
  PackedMatrix qkv, v, o, gu, down;  // v is used only if it is Q6_K; otherwise it is part of qkv
  WGPUBuffer norm1, norm2, bias, k, vc;
};
extern vector<Layer> layers;
extern PackedMatrix head;
extern WGPUBuffer norm_out, rope;
// The buffers that the steps work on; lab/bench/webgpu/step.cc binds them.
extern WGPUBuffer x, queries, part_sums, part_ends, hq, hd, hf, xq, xd, xf, sums, logits,
    best_logits, result, tokens, params;
/// Whether a layer's v and down are Q6_K.
bool q6_layer(int l);
void make_model();

/// The small model's weights as floats, for the reference computation.
struct Dense {
  vector<float> qkv, o, gu, down;
};
extern vector<Dense> dense_layers;
extern vector<float> dense_head, norm_values, bias_values, rope_values;
