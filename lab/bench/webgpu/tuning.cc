#include "tuning.h"

#include <cstdio>
#include <map>

#include "step.h"

void tune_gemv() {
  std::map<int, vector<Gemv>> c{
      {QKV, {{16, 12}, {16, 24}, {16, 8}, {32, 8}, {32, 12}}},
      {O, {{8, 24}, {16, 12}, {16, 24}, {8, 12}, {32, 12}, {32, 24}}},
      {GU, {{64, 4}, {64, 6}, {64, 8}, {64, 12}}},
      {DOWN, {{8, 28}, {16, 28}, {8, 35}, {8, 70}, {16, 14}, {16, 35}, {32, 28}}},
      {HEAD,
       {{32, 4, 1},
        {32, 8, 1},
        {32, 8, 2},
        {32, 8, 4},
        {32, 8, 8},
        {64, 4, 2},
        {64, 8, 2},
        {32, 12, 4},
        {32, 4, 8}}}};
  for (auto& [s, list] : c) {
    double bt = 1e9;
    for (Gemv g : list) {
      if (s != HEAD && !fits(s, g)) continue;
      if (s == HEAD && (cols(s) / 64 % g.S || g.RT * g.S < cols(s) / 16)) continue;
      vector<Launch> ls;
      double bytes = 0;
      if (s == HEAD) {
        for (int i = 0; i < 4; i++) ls.push_back(gemv_launch(s, 0, g));
        bytes = 4 * head.bytes();
      } else
        for (int l = 0; l < model.layers; l++) {
          ls.push_back(gemv_launch(s, l, g));
          Layer& y = layers[l];
          bytes += s == QKV  ? y.qkv.bytes() + y.v.bytes()
                   : s == O  ? y.o.bytes()
                   : s == GU ? y.gu.bytes()
                             : y.down.bytes();
        }
      Times t = best(ls, 4);
      double per = t.gpu / ls.size();
      printf("  gemv %-8s rows %2d slices %2d tiles %d: %7.2f us  %5.0f GB/s\n", kName[s], g.RT,
             g.S, g.NT, per * 1e6, bytes / t.gpu / 1e9);
      if (per < bt) {
        bt = per;
        gemv_of[s] = g;
      }
      for (auto& l : ls) wgpuBindGroupRelease(l.b);
    }
    printf("gemv %-8s best rows %d slices %d tiles %d: %.2f us\n", kName[s], gemv_of[s].RT,
           gemv_of[s].S, gemv_of[s].NT, bt * 1e6);
    fflush(stdout);
  }
  set_params(1, model.context / 2 - 1);
  double bt = 1e9;
  int b = 2;
  for (int nr : {1, 2, 3, 6}) {
    vector<Launch> ls;
    for (int l = 0; l < model.layers; l++) ls.push_back(attention(l, 1, model.context / 128, nr));
    Times t = best(ls, 4);
    printf("  attention of a token at 512, rows %d: %.2f us\n", nr, t.gpu / model.layers * 1e6);
    if (t.gpu < bt) {
      bt = t.gpu;
      b = nr;
    }
  }
  attn_rows = b;
}
double tuning_start;
bool over() { return now() - tuning_start > 50; }
void compare_unrolling() {
  double bt = 1e9;
  int b = 16;
  set_params(model.batch, 0);
  for (int u : {0, 16}) {
    unroll_most = u;
    vector<Launch> g, t;
    for (int l = 0; l < model.layers; l++) g.push_back(gemv_launch(GU, l, gemv_of[GU]));
    for (int l = 0; l < model.layers; l += 7) push_mm(t, GU, l, model.batch, {64, 64, 4, 4, 2});
    Times a = best(g, 3), c = best(t, 2);
    printf("loops %s: gate_up gemv %.2f us, tile 64x64 of %d tokens %.2f us\n",
           u ? "written out" : "as they are", a.gpu / g.size() * 1e6, model.batch,
           c.gpu / t.size() * 1e6);
    if (c.gpu + a.gpu < bt) {
      bt = c.gpu + a.gpu;
      b = u;
    }
  }
  unroll_most = b;
  printf("%d pipelines in %.2f s\n", n_pipes, compile_s);
}
void floor_of_step() {
  {
    int wgs = is_small ? 8 : 1056, rounds = is_small ? 16 : 4096;
    WGPUBuffer o = make_buffer(wgs * 1024);
    Times t = best({launch("peak", cached("peak", {{"ROUNDS", wgsl(rounds)}}), {{8, o}}, wgs)}, 3);
    printf("dot products alone: %.1f TOPS\n", 8.0 * 32 * rounds * 256 * wgs / t.gpu / 1e12);
  }
  auto ls = decode_list(1);
  for (auto& l : ls) l.x = l.y = l.z = 1;
  Times t = best(ls, 10);
  printf("decode step with one workgroup a dispatch: %.1f us for %zu (%.2f us each)\n", t.gpu * 1e6,
         ls.size(), t.gpu * 1e6 / ls.size());
  vector<Launch> e(200, embed(1));
  t = best(e, 10);
  printf("a small dispatch after another on the same buffer: %.2f us\n", t.gpu * 1e6 / 200);
}
void tune_tiles() {
  vector<Tile> small_n{{64, 32, 4, 4, 2}, {64, 32, 4, 4, 4},  {64, 32, 4, 2, 2}, {64, 32, 8, 4, 2},
                       {64, 32, 2, 4, 2}, {128, 32, 8, 4, 2}, {32, 32, 4, 2, 4}, {32, 32, 2, 4, 4}},
      large_n{{64, 64, 4, 4, 2},  {64, 64, 4, 4, 4},  {128, 64, 8, 4, 2},  {128, 64, 4, 8, 2},
              {64, 128, 4, 8, 2}, {64, 128, 8, 4, 2}, {128, 128, 8, 8, 2}, {64, 64, 8, 4, 2},
              {64, 64, 4, 8, 2},  {64, 64, 8, 8, 2},  {128, 64, 8, 4, 4}};
  for (int big = 0; big < 2; big++) {
    int n = big ? model.batch : 32;
    set_params(n, 0);
    for (int s : {GU, DOWN, QKV, O}) {
      double bt = 1e9;
      for (Tile t : big ? large_n : small_n) {
        if ((cols(s) / 32 / parts_of[s]) % t.KS || (model.kv * 128) % t.TM || over()) continue;
        vector<Launch> ls;
        for (int l = 0; l < model.layers; l += big ? 4 : 1) push_mm(ls, s, l, n, t);
        Times r = best(ls, 2);
        double per = r.gpu / ls.size();
        double ops = 0;
        for (auto& l : ls) {
          (void)l;
        }
        int k = 0;
        for (int l = 0; l < model.layers; l += big ? 4 : 1) k++;
        ops = 2.0 * rows(s) * cols(s) * n * k;
        printf("  tile %-8s x %d  %dx%d thread %dx%d step %d: %8.2f us  %6.2f TOPS\n", kName[s], n,
               t.TM, t.TN, t.MM, t.MN, 32 * t.KS, per * 1e6, ops / r.gpu / 1e12);
        if (r.gpu < bt) {
          bt = r.gpu;
          tile_of[big][s] = t;
        }
        for (auto& l : ls) wgpuBindGroupRelease(l.b);
      }
      Tile t = tile_of[big][s];
      printf("tile %-8s x %d best %dx%d thread %dx%d step %d\n", kName[s], n, t.TM, t.TN, t.MM,
             t.MN, 32 * t.KS);
      fflush(stdout);
    }
  }
  set_params(model.batch, 0);
  double bt = 1e9;
  int b = 8;
  for (int nr : {4, 6, 8, 12}) {
    vector<Launch> ls;
    for (int l = 0; l < model.layers; l += 4)
      ls.push_back(attention(l, model.batch, model.batch / 64, nr));
    Times t = best(ls, 2);
    printf("  attention of 512 tokens, rows %d: %.2f us\n", nr, t.gpu / ls.size() * 1e6);
    if (t.gpu < bt) {
      bt = t.gpu;
      b = nr;
    }
  }
  attn_rows_batch = b;
}