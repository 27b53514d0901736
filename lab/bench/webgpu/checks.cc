#include "checks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "reference.h"
#include "step.h"

int n_wrong = 0;

/// The word for a check's result in the log. Counts failed checks.
static const char* outcome(bool is_right) {
  if (!is_right) n_wrong++;
  return is_right ? "ok" : "WRONG";
}

void check_reference() {
  int n = 70;
  auto ids = token_ids(n);
  auto ref = reference(ids);
  auto err = [&](const vector<float>& g, const vector<double>& r) {
    double e = 0, s = 0;
    for (size_t i = 0; i < r.size(); i++) {
      e += (g[i] - r[i]) * (g[i] - r[i]);
      s += r[i] * r[i];
    }
    return std::sqrt(e / s);
  };
  clear_kv();
  double worst = 0;
  vector<double> all;
  for (int p = 0; p < n; p++) {
    run_batch(decode_list(p / 64 + 1), 1, p, &ids[p]);
    all.push_back(err(read_buffer<float>(logits, model.vocab), ref[p]));
    worst = std::max(worst, all.back());
  }
  auto alone = read_buffer<u32>(logits, model.vocab);
  auto kalone = read_buffer<u32>(layers[1].k, size_t(model.kv) * model.context * 64);
  auto am = read_buffer<u32>(result, 2);
  int top = 0;
  for (int i = 1; i < model.vocab; i++)
    if (ref[n - 1][i] > ref[n - 1][top]) top = i;
  printf("first errors");
  for (int i = 0; i < 12; i++) printf(" %.1e", all[i]);
  std::sort(all.begin(), all.end());
  printf(
      "\ndecode of %d tokens against float64, relative error of logits: least %.2e, median %.2e, "
      "greatest %.2e; argmax %u, reference %d: %s\n",
      n, all[0], all[n / 2], worst, am[1], top,
      outcome(all[0] < 1e-5 && worst < 0.03 && int(am[1]) == top));
  clear_kv();
  run_batch(batch_list(n, 0), n, 0, ids.data());
  auto lg = read_buffer<float>(logits, model.vocab);
  printf("prompt of %d against float64: %.2e: %s\n", n, err(lg, ref[n - 1]),
         outcome(err(lg, ref[n - 1]) < 0.03));
  size_t d = 0;
  for (int i = 0; i < model.vocab; i++) d += memcmp(&lg[i], &alone[i], 4) != 0;
  auto k2 = read_buffer<u32>(layers[1].k, kalone.size());
  size_t dk = 0;
  for (size_t i = 0; i < k2.size(); i++) dk += k2[i] != kalone[i];
  printf(
      "bits of the prompt and of the tokens alone: %zu of %d logits and %zu of %zu words of keys "
      "differ: %s\n",
      d, model.vocab, dk, k2.size(), outcome(d == 0 && dk == 0));
}
static WGPUBuffer differ;  // counts the words that differ
static Launch compare(WGPUBuffer a, WGPUBuffer b, size_t words) {
  if (!differ) differ = make_buffer(16);
  auto [gx, gy] = grid((words + 255) / 256);
  return launch("compare", cached("compare", {{"N", wgsl(words)}}), {{4, a}, {5, b}, {8, differ}},
                gx, gy);
}
static u32 take_differ() {
  u32 v = read_buffer<u32>(differ, 1)[0];
  u32 z[4] = {};
  write_buffer(differ, z, 16);
  return v;
}
void check_products(int reps) {
  for (int s = 0; s < kShapes; s++)
    for (int kind : {4, 6}) {
      if ((s == HEAD) != (kind == 6) && s != DOWN) continue;
      int R = rows(s), K = cols(s);
      int six = 0, four = 0;
      while (!q6_layer(six)) six++;
      while (q6_layer(four)) four++;
      PackedMatrix m = s == HEAD   ? head
                       : s == DOWN ? (kind == 6 ? layers[six].down : layers[four].down)
                       : s == QKV  ? layers[four].qkv
                       : s == O    ? layers[0].o
                                   : layers[0].gu;
      for (int n : {32, is_small || is_mid ? 70 : 512}) {
        if (s == HEAD && n > 70) continue;
        vector<u32> cod(size_t(n) * K / 4);
        for (auto& v : cod) v = random_word();
        vector<float> sc(size_t(n) * K / 16);
        for (size_t i = 0; i < sc.size(); i += 2) {
          sc[i] = 0.01f + 0.01f * random_float();
          sc[i + 1] = sc[i] * float(int(random_word() % 2000) - 1000);
        }
        WGPUBuffer a = uploaded(cod), ad_ = uploaded(sc), y1 = make_buffer(size_t(n) * R * 4),
                   y2 = make_buffer(size_t(n) * R * 4),
                   part = make_buffer(size_t(n) * R * 4 * parts_of[s]);
        set_params(n, 0);
        Consts c = consts(R, K);
        Gemv g = gemv_of[s];
        add(c, {{"RT", wgsl(g.RT)}, {"S", wgsl(g.S)}, {"SS", wgsl(parts_of[s])}});
        WGPUComputePipeline p = cached(
            string("weights input_stored gemv finish_raw gemv_main") + (kind == 6 ? "6" : "4"), c);
        vector<Launch> alone;
        auto [gx, gy] = grid((R + g.RT - 1) / g.RT);
        for (int t = 0; t < n; t++)
          alone.push_back(
              launch("alone", p,
                     weights(m) + vector<Bind>{{4, a, u32(t) * u32(K), u32(K)},
                                               {5, ad_, u32(t) * u32(K) / 4, u32(K) / 4},
                                               {8, y1, uint64_t(t) * R * 4, uint64_t(R) * 4}},
                     gx, gy));
        run(alone);
        Tile t = tile_of[n > 64][s == HEAD ? GU : s];
        vector<Launch> both{
            mm("mm", s, m, 0, a, ad_, part, n, t, false),
            launch("sum", cached("sum_parts", {{"PARTS", wgsl(parts_of[s])}, {"R", wgsl(R)}}),
                   {{4, part}, {8, y2}, {12, params}}, grid((long(n) * R + 255) / 256).first,
                   grid((long(n) * R + 255) / 256).second),
            compare(y1, y2, size_t(n) * R)};
        auto [px, py] = grid((long(n) * R + 63) / 64);
        run({launch("plain",
                    cached("weights plain" + string(kind == 6 ? "6" : "4") + " plain_product", c),
                    weights(m) + vector<Bind>{{4, a}, {5, ad_}, {8, y2}, {12, params}}, px, py),
             compare(y1, y2, size_t(n) * R)});
        u32 plain = take_differ();
        u32 bad = 0, total = 0, first = 0;
        for (int r = 0; r < reps; r++) {
          run(both);
          u32 d = take_differ();
          if (r == 0) first = d;
          bad += d > 0;
          total += d;
          if (r % 10 == 0) {
            run(alone);
          }
        }
        printf(
            "bits %-8s Q%d_K %d x %d x %d: %u of %d runs differ (%u outputs in all, %u in the "
            "first), %u of the plain product: %s\n",
            kName[s], kind, R, K, n, bad, reps, total, first, plain,
            outcome(bad == 0 && plain == 0));
        for (auto b : {a, ad_, y1, y2, part}) {
          wgpuBufferDestroy(b);
          wgpuBufferRelease(b);
        }
        for (auto& l : alone) wgpuBindGroupRelease(l.b);
      }
    }
}
void check_model(int n, int reps) {
  auto ids = token_ids(n);
  clear_kv();
  vector<Launch> ls;
  int z = 0;
  for (int p = 0; p < n; p++) {
    if (p / 64 + 1 != z) ls = decode_list(z = p / 64 + 1);
    run_batch(ls, 1, p, &ids[p]);
  }
  WGPUBuffer la = make_buffer(size_t(model.vocab) * 4);
  copy(logits, la, size_t(model.vocab) * 4);
  size_t kw = size_t(model.kv) * model.context * 64;
  vector<WGPUBuffer> ka;
  for (auto& l : layers) {
    WGPUBuffer b = make_buffer(kw * 4), c = make_buffer(kw * 4);
    copy(l.k, b, kw * 4);
    copy(l.vc, c, kw * 4);
    ka.push_back(b);
    ka.push_back(c);
  }
  vector<Launch> cmp{compare(logits, la, model.vocab)};
  for (int l = 0; l < model.layers; l++) {
    cmp.push_back(compare(layers[l].k, ka[2 * l], kw));
    cmp.push_back(compare(layers[l].vc, ka[2 * l + 1], kw));
  }
  auto bl = batch_list(n, 0);
  u32 bad = 0, total = 0;
  for (int r = 0; r < reps; r++) {
    clear_kv();
    run_batch(bl, n, 0, ids.data());
    run(cmp);
    u32 d = take_differ();
    bad += d > 0;
    total += d;
  }
  printf(
      "bits of the model, prompt of %d in a batch against one token at a time (logits, all keys "
      "and values): %u of %d runs differ (%u words): %s\n",
      n, bad, reps, total, outcome(bad == 0));
  clear_kv();
  vector<u32> rest(ids.begin() + n / 2 + 3, ids.end());
  int cut = n / 2 + 3;
  run_batch(batch_list(cut, 0), cut, 0, ids.data());
  run_batch(batch_list(n - cut, cut), n - cut, cut, rest.data());
  run(cmp);
  u32 cut_differ = take_differ();
  printf("bits of the same prompt in two pieces: %u words differ: %s\n", cut_differ,
         outcome(cut_differ == 0));
  for (auto b : ka) {
    wgpuBufferDestroy(b);
    wgpuBufferRelease(b);
  }
  wgpuBufferRelease(la);
}