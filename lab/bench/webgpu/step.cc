#include "step.h"

Gemv gemv_of[kShapes] = {{16, 12}, {8, 24}, {64, 8}, {8, 28}, {32, 8, 2}};
Tile tile_of[2][kShapes] = {
    {{64, 32, 4, 4, 2}, {64, 32, 4, 4, 2}, {64, 32, 4, 4, 2}, {64, 32, 4, 4, 2}, {64, 32, 4, 4, 2}},
    {{64, 64, 4, 4, 2},
     {64, 64, 4, 4, 2},
     {64, 64, 4, 4, 2},
     {64, 64, 4, 4, 2},
     {64, 64, 4, 4, 2}}};
int attn_rows = 2, attn_rows_batch = 8;

vector<Bind> weights(const PackedMatrix& m) {
  return m.kind == 4 ? vector<Bind>{{0, m.w}, {1, m.s}} : vector<Bind>{{2, m.w}, {3, m.s}};
}
vector<Bind> operator+(vector<Bind> a, const vector<Bind>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
std::pair<u32, u32> grid(long n) {
  u32 gx = n, gy = 1;
  while (gx > 32768) {
    gx = (gx + 1) / 2;
    gy *= 2;
  }
  return {gx, gy};
}

static std::map<string, WGPUComputePipeline> cache;
WGPUComputePipeline cached(const string& files, const Consts& c) {
  string k = std::to_string(unroll_most) + files;
  for (auto& [a, b] : c) k += a + b;
  auto& p = cache[k];
  if (!p) p = pipe(files, c);
  return p;
}
WGPUComputePipeline gemv_pipe(int s, bool six, Gemv g) {
  Consts c = consts(rows(s), cols(s));
  add(c, shape_consts());
  add(c, {{"RT", wgsl(g.RT)}, {"S", wgsl(g.S)}, {"SS", wgsl(parts_of[s])}, {"NT", wgsl(g.NT)}});
  string m = six ? "6" : "4";
  if (s == QKV) {
    if (six) {
      c["R4"] = wgsl(rows(QKV) - model.kv * 128);
      add(c, {{"D6", consts(model.kv * 128, model.hidden)["D6"]},
              {"H6", consts(model.kv * 128, model.hidden)["H6"]}});
    }
    return cached("weights quantize values_norm input_shared gemv put_qkv finish_qkv gemv_main" +
                      string(six ? "" : "4"),
                  c);
  }
  if (s == O)
    return cached("weights quantize values_attention input_shared gemv finish_add gemv_main4", c);
  if (s == GU)
    return cached("weights quantize silu values_norm input_shared gemv finish_silu gemv_main4", c);
  if (s == DOWN) return cached("weights input_stored gemv finish_add gemv_main" + m, c);
  return cached("weights quantize values_norm input_shared gemv token_of head_main", c);
}
bool fits(int s, Gemv g) {
  int pairs = cols(s) / 64, w = g.RT * g.S;
  return pairs % g.S == 0 && g.S % parts_of[s] == 0 && rows(s) % g.RT == 0 &&
         w <= (int)limits.maxComputeInvocationsPerWorkgroup && (s == DOWN || w >= cols(s) / 16) &&
         (s != QKV || (model.kv * 128) % g.RT == 0);
}
Launch gemv_launch(int s, int l, Gemv g) {
  if (s == HEAD) {
    auto [gx, gy] = grid((model.vocab + g.RT * g.NT - 1) / (g.RT * g.NT));
    return launch(
        "head", gemv_pipe(s, true, g),
        weights(head) +
            vector<Bind>{{4, x}, {5, norm_out}, {8, logits}, {9, best_logits}, {12, params}},
        gx, gy);
  }
  Layer& y = layers[l];
  u32 n = rows(s) / g.RT;
  bool six = q6_layer(l);
  if (s == QKV)
    return launch("qkv", gemv_pipe(s, six, g),
                  weights(y.qkv) + (six ? weights(y.v) : vector<Bind>{}) +
                      vector<Bind>{{4, x},
                                   {5, y.norm1},
                                   {7, y.bias},
                                   {8, queries},
                                   {9, y.k},
                                   {10, y.vc},
                                   {11, rope},
                                   {12, params}},
                  n);
  if (s == O)
    return launch("o", gemv_pipe(s, false, g),
                  weights(y.o) + vector<Bind>{{4, part_sums}, {5, part_ends}, {8, x}, {12, params}},
                  n);
  if (s == GU)
    return launch("gate_up", gemv_pipe(s, false, g),
                  weights(y.gu) + vector<Bind>{{4, x}, {5, y.norm2}, {8, hq}, {9, hd}}, n);
  return launch(six ? "down q6" : "down q4", gemv_pipe(s, six, g),
                weights(y.down) + vector<Bind>{{4, hq}, {5, hd}, {8, x}}, n);
}
Launch embed(int n) {
  Consts c = consts(model.vocab, model.hidden);
  c["W"] = wgsl((model.hidden / 32 + 31) / 32 * 32);
  return launch("embed", cached("weights embed", c),
                {{2, head.w}, {3, head.s}, {4, tokens}, {8, x}}, n);
}
Launch attention(int l, int n, int parts, int NR) {
  Consts c = shape_consts();
  c["NR"] = wgsl(NR);
  int per = model.heads / model.kv;
  return launch("attention", cached("attention", c),
                {{4, queries},
                 {5, layers[l].k},
                 {6, layers[l].vc},
                 {8, part_sums},
                 {9, part_ends},
                 {12, params}},
                (n * per + NR - 1) / NR, model.kv, parts);
}
Launch argmax() {
  Gemv g = gemv_of[HEAD];
  auto [gx, gy] = grid((model.vocab + g.RT * g.NT - 1) / (g.RT * g.NT));
  (void)gx;
  (void)gy;
  return launch("argmax",
                cached("argmax", {{"N", wgsl((model.vocab + g.RT * g.NT - 1) / (g.RT * g.NT))}}),
                {{4, best_logits}, {8, result}}, 1);
}
vector<Launch> decode_list(int parts) {
  vector<Launch> r{embed(1)};
  for (int l = 0; l < model.layers; l++) {
    r.push_back(gemv_launch(QKV, l, gemv_of[QKV]));
    r.push_back(attention(l, 1, parts, attn_rows));
    for (int s : {O, GU, DOWN}) r.push_back(gemv_launch(s, l, gemv_of[s]));
  }
  r.push_back(gemv_launch(HEAD, 0, gemv_of[HEAD]));
  r.push_back(argmax());
  return r;
}
Launch mm(const char* name, int s, const PackedMatrix& m, int row0, WGPUBuffer in, WGPUBuffer ind,
          WGPUBuffer out, int n, Tile t, bool silu, WGPUBuffer factors) {
  Consts c = consts(m.kind == 4 && s == QKV ? rows(QKV) : m.R, m.K);
  add(c, {{"S", wgsl(gemv_of[s].S)},
          {"SS", wgsl(parts_of[s])},
          {"TM", wgsl(t.TM)},
          {"TN", wgsl(t.TN)},
          {"MM", wgsl(t.MM)},
          {"MN", wgsl(t.MN)},
          {"KS", wgsl(t.KS)},
          {"RALL", wgsl(rows(s))},
          {"ROW0", wgsl(row0)}});
  string k = m.kind == 4 ? "4" : "6";
  vector<Bind> b = weights(m) + vector<Bind>{{4, in}, {5, ind}, {8, out}, {12, params}};
  if (silu) b.push_back({6, factors});
  return launch(
      name,
      cached("weights matmul matmul" + k + (silu ? " silu finish_tile_silu" : " finish_sums"), c),
      b, m.R / t.TM, (n + t.TN - 1) / t.TN, parts_of[s]);
}
Launch quantize_tokens(const char* name, int K, const string& values, vector<Bind> b, int n,
                       int parts = 0) {
  Consts c = consts(K, K);
  add(c, shape_consts());
  c["W"] = wgsl((K / 16 + 31) / 32 * 32);
  c["PARTS"] = wgsl(parts);
  b = b + vector<Bind>{{8, xq}, {9, xd}, {10, xf}};
  return launch(name, cached("quantize values_" + values + " input_shared quantize_tokens", c), b,
                n);
}
void push_mm(vector<Launch>& r, int s, int l, int n, Tile t) {
  Layer& y = layers[l];
  if (s == QKV) {
    r.push_back(mm("qkv", s, y.qkv, 0, xq, xd, sums, n, t, false));
    if (q6_layer(l)) r.push_back(mm("qkv v q6", s, y.v, y.qkv.R, xq, xd, sums, n, t, false));
  }
  if (s == O) r.push_back(mm("o", s, y.o, 0, xq, xd, sums, n, t, false));
  if (s == GU) r.push_back(mm("gate_up", s, y.gu, 0, xq, xd, hf, n, t, true, xf));
  if (s == DOWN)
    r.push_back(mm(q6_layer(l) ? "down q6" : "down q4", s, y.down, 0, hq, hd, sums, n, t, false));
}
vector<Launch> batch_list(int n, int start) {
  vector<Launch> r{embed(n)};
  Tile* tile = tile_of[n > 64];
  int parts = (start + n + 63) / 64;
  for (int l = 0; l < model.layers; l++) {
    Layer& y = layers[l];
    if (l == 0)
      r.push_back(quantize_tokens("norm", model.hidden, "norm", {{4, x}, {5, y.norm1}}, n));
    else
      r.push_back(quantize_tokens("add norm", model.hidden, "add_norm",
                                  {{4, x}, {5, y.norm1}, {6, sums}, {12, params}}, n,
                                  parts_of[DOWN]));
    push_mm(r, QKV, l, n, tile[QKV]);
    {
      Consts c = shape_consts();
      c["R"] = wgsl(rows(QKV));
      c["PARTS"] = wgsl(parts_of[QKV]);
      r.push_back(launch("rope", cached("put_qkv qkv_tokens", c),
                         {{4, sums},
                          {5, xf},
                          {7, y.bias},
                          {8, queries},
                          {9, y.k},
                          {10, y.vc},
                          {11, rope},
                          {12, params}},
                         rows(QKV) / 128, n));
    }
    r.push_back(attention(l, n, parts, attn_rows_batch));
    r.push_back(quantize_tokens("combine", model.hidden, "attention",
                                {{4, part_sums}, {5, part_ends}, {12, params}}, n));
    push_mm(r, O, l, n, tile[O]);
    r.push_back(quantize_tokens("add norm", model.hidden, "add_norm",
                                {{4, x}, {5, y.norm2}, {6, sums}, {12, params}}, n, parts_of[O]));
    push_mm(r, GU, l, n, tile[GU]);
    {
      Consts c{{"G", wgsl(model.ffn / 32)}};
      auto [gx, gy] = grid((long(n) * model.ffn / 32 + 63) / 64);
      r.push_back(launch("quantize", cached("quantize quantize_floats", c),
                         {{4, hf}, {8, hq}, {9, hd}, {12, params}}, gx, gy));
    }
    push_mm(r, DOWN, l, n, tile[DOWN]);
  }
  r.push_back(quantize_tokens("add norm", model.hidden, "add_norm",
                              {{4, x}, {5, norm_out}, {6, sums}, {12, params}}, n, parts_of[DOWN]));
  r.push_back(gemv_launch(HEAD, 0, gemv_of[HEAD]));
  r.push_back(argmax());
  return r;
}
void set_params(u32 n, u32 start) {
  u32 p[4] = {n, start, 0, 0};
  write_buffer(params, p, 16);
}
vector<u32> token_ids(int n) {
  vector<u32> t(n);
  for (int i = 0; i < n; i++) t[i] = (u32(i) * 7919 + 13) % model.vocab;
  return t;
}
void clear_kv() {
  vector<u32> z(size_t(model.kv) * model.context * 64);
  for (auto& l : layers) {
    write_buffer(l.k, z.data(), z.size() * 4);
    write_buffer(l.vc, z.data(), z.size() * 4);
  }
  finish();
}
void run_batch(const vector<Launch>& ls, int n, int start, const u32* ids) {
  write_buffer(tokens, ids, n * 4);
  set_params(n, start);
  run(ls);
}
