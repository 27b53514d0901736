#include "model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

Model model;
bool is_small = false, is_mid = false;
int parts_of[kShapes] = {4, 6, 1, 7, 1};
vector<Layer> layers;
PackedMatrix head;
WGPUBuffer norm_out, rope;
WGPUBuffer x, queries, part_sums, part_ends, hq, hd, hf, xq, xd, xf, sums, logits, best_logits,
    result, tokens, params;
vector<Dense> dense_layers;
vector<float> dense_head, norm_values, bias_values, rope_values;

static u32 random_state = 12345;
u32 random_word() {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return random_state;
}
float random_float() { return (random_word() >> 8) / 16777216.0f * 2 - 1; }
uint16_t half(float f) {
  _Float16 h = (_Float16)f;
  uint16_t u;
  memcpy(&u, &h, 2);
  return u;
}
float unhalf(uint16_t u) {
  _Float16 h;
  memcpy(&h, &u, 2);
  return (float)h;
}
string wgsl(long v) { return std::to_string(v) + "u"; }

struct Packed {
  int kind = 4, R = 0, K = 0;
  vector<u32> w, s;
  vector<float> dense;
};
static Packed random_matrix(int kind, int R, int K, bool dense) {
  Packed m{kind, R, K, {}, {}, {}};
  int tiles = (R + 511) / 512 * 64, G = K / 32;
  size_t n = size_t(tiles) * G * 8;
  float d = 1 / (std::sqrt((float)K) * 170);
  m.w.resize(kind == 4 ? n * 4 : n * 6);
  m.s.resize(n / 2 + n / 8);
  for (auto& v : m.w) v = random_word();
  for (size_t i = 0; i < n / 2; i++) {
    u32 r = random_word(), v = 0;
    if (kind == 4) {
      for (int h = 0; h < 2; h++) {
        u32 sc = 1 + ((r >> (8 * h)) & 63) % 62,
            mi = std::min<u32>(63, sc + ((r >> (16 + 8 * h)) & 3));
        v |= (sc | mi << 8) << (16 * h);
      }
    } else
      for (int h = 0; h < 4; h++)
        v |= u32(uint8_t(int8_t(int((r >> (8 * h)) & 31) - 16))) << (8 * h);
    m.s[i] = v;
  }
  for (size_t i = n / 2; i < m.s.size(); i++) {
    float e = d * (1 + 0.2f * random_float());
    m.s[i] = half(e) | (kind == 4 ? u32(half(e * 7.5f)) << 16 : 0);
  }
  if (dense) {
    m.dense.resize(size_t(R) * K);
    for (int r = 0; r < R; r++)
      for (int c = 0; c < K; c++) {
        size_t t = r / 8, l = r % 8, g = c / 32, k = c % 32;
        const u32* w = &m.w[((t * G + g) * 8 + l) * 4];
        int j = k % 16;
        int nib = (w[j / 4] >> (8 * (j % 4) + (k < 16 ? 0 : 4))) & 15;
        u32 sc = m.s[(t * (G / 2) + g / 2) * 8 + l],
            dd = m.s[n / 2 + (t * (G / 8) + g / 8) * 8 + l];
        if (kind == 4) {
          u32 a = sc >> (16 * (g % 2));
          m.dense[size_t(r) * K + c] =
              unhalf(dd) * (a & 255) * nib - unhalf(dd >> 16) * (a >> 8 & 255);
        } else {
          const u32* h =
              &m.w[n * 4 + ((t * (G / 2) + g / 2) * 8 + l) * 4 + 2 * (g % 2) + (k < 16 ? 0 : 1)];
          int hi = (*h >> (8 * (j % 4) + 2 * (j / 4))) & 3;
          int code = int8_t(uint8_t(nib << 2 | hi << 6));
          m.dense[size_t(r) * K + c] =
              unhalf(dd) * 0.25f * int8_t(sc >> (8 * (2 * (g % 2) + (k < 16 ? 0 : 1)))) * code;
        }
      }
  }
  return m;
}
static PackedMatrix upload(const Packed& p) {
  return {p.kind, p.R, p.K, uploaded(p.w), uploaded(p.s)};
}
Consts consts(int R, int K) {
  long t4 = (R + 511) / 512 * 64;
  return {{"R", wgsl(R)},
          {"K", wgsl(K)},
          {"G", wgsl(K / 32)},
          {"D4", wgsl(t4 * (K / 64) * 8)},
          {"D6", wgsl(t4 * (K / 64) * 8)},
          {"H6", wgsl(t4 * (K / 32) * 8)}};
}
void add(Consts& c, const Consts& more) {
  for (auto& [k, v] : more) c[k] = v;
}
Consts shape_consts() {
  char eps[32];
  snprintf(eps, 32, "%gf", model.eps);
  char sc[32];
  snprintf(sc, 32, "%.9gf", 1 / std::sqrt(128.0f));
  return {{"HEADS", wgsl(model.heads)},
          {"KV_HEADS", wgsl(model.kv)},
          {"CONTEXT", wgsl(model.context)},
          {"MAX_PARTS", wgsl(model.context / 64)},
          {"EPS", eps},
          {"SCALE", sc}};
}

int rows(int s) {
  return s == QKV    ? (model.heads + 2 * model.kv) * 128
         : s == O    ? model.hidden
         : s == GU   ? 2 * model.ffn
         : s == DOWN ? model.hidden
                     : model.vocab;
}
int cols(int s) { return s == DOWN ? model.ffn : model.hidden; }
bool q6_layer(int l) {
  int n = model.layers;
  return is_small ? l == 1 : l < n / 8 || l >= 7 * n / 8 || (l - n / 8) % 3 == 2;
}
void make_model() {
  double t = now();
  int QR = rows(QKV), R4 = QR - model.kv * 128;
  auto rv = [&](int n, float base, float r) {
    vector<float> v(n);
    for (auto& f : v) f = base + r * random_float();
    return v;
  };
  Packed q = random_matrix(4, QR, model.hidden, is_small),
         v6 = random_matrix(6, model.kv * 128, model.hidden, is_small),
         o = random_matrix(4, model.hidden, model.hidden, is_small),
         gu = random_matrix(4, 2 * model.ffn, model.hidden, is_small),
         d4 = random_matrix(4, model.hidden, model.ffn, is_small),
         d6 = random_matrix(6, model.hidden, model.ffn, is_small),
         hp = random_matrix(6, model.vocab, model.hidden, is_small);
  norm_values = rv(model.hidden, 1, 0.2f);
  bias_values = rv(QR, 0, 0.1f);
  rope_values.resize(size_t(model.context) * 128);
  for (int p = 0; p < model.context; p++)
    for (int i = 0; i < 64; i++) {
      double a = p * std::pow(1e6, -2.0 * i / 128);
      rope_values[(p * 64 + i) * 2] = std::cos(a);
      rope_values[(p * 64 + i) * 2 + 1] = std::sin(a);
    }
  rope = uploaded(rope_values);
  norm_out = uploaded(norm_values);
  head = upload(hp);
  dense_head = hp.dense;
  for (int l = 0; l < model.layers; l++) {
    bool six = q6_layer(l);
    Layer y;
    y.qkv = upload(q);
    if (six) {
      y.qkv.R = R4;
      y.v = upload(v6);
    }
    y.o = upload(o);
    y.gu = upload(gu);
    y.down = upload(six ? d6 : d4);
    y.norm1 = uploaded(norm_values);
    y.norm2 = uploaded(norm_values);
    y.bias = uploaded(bias_values);
    y.k = make_buffer(size_t(model.kv) * model.context * 256);
    y.vc = make_buffer(size_t(model.kv) * model.context * 256);
    layers.push_back(y);
    if (is_small) {
      Dense e{q.dense, o.dense, gu.dense, six ? d6.dense : d4.dense};
      if (six)
        std::copy(v6.dense.begin(), v6.dense.end(), e.qkv.begin() + size_t(R4) * model.hidden);
      dense_layers.push_back(e);
    }
    if (l % 4 == 3) finish();
  }
  size_t T = model.batch;
  x = make_buffer(T * model.hidden * 4);
  queries = make_buffer(T * model.heads * 512);
  part_sums = make_buffer(T * model.heads * (model.context / 64) * 512);
  part_ends = make_buffer(T * model.heads * (model.context / 64) * 8);
  hq = make_buffer(T * model.ffn);
  hd = make_buffer(T * model.ffn / 4);
  hf = make_buffer(T * model.ffn * 4);
  xq = make_buffer(T * model.hidden);
  xd = make_buffer(T * model.hidden / 4);
  xf = make_buffer(T * 4);
  sums = make_buffer(
      T * 4 *
      std::max({parts_of[QKV] * QR, parts_of[O] * model.hidden, parts_of[DOWN] * model.hidden}));
  logits = make_buffer(size_t(model.vocab) * 4 + 4096);
  best_logits = make_buffer(1 << 20);
  result = make_buffer(16);
  tokens = make_buffer(T * 4);
  params = make_buffer(16);
  finish();
  double bytes = head.bytes();
  for (auto& l : layers)
    bytes += l.qkv.bytes() + l.v.bytes() + l.o.bytes() + l.gu.bytes() + l.down.bytes();
  printf("weights of a token %.0f MB, made in %.1f s\n", bytes / 1e6, now() - t);
}