#include "figures.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "step.h"

string decode_row, prompt_rows;
void time_decode(int from, int n) {
  auto ls = decode_list(from / 64 + 1);
  printf("decode: %zu dispatches a token\n", ls.size());
  set_params(1, from);
  Times t = best(ls, 20);
  profile("decode", ls);
  // Decodes tokens one after another and reads each back before the next one starts. First, each
  // command buffer is encoded before its token starts; then, while the GPU computes the last token.
  WGPUBuffer rb[2] = {readback(16), readback(16)};
  int parts = from / 64 + 1;
  double wall[2] = {1e9, 1e9};
  auto enc = [&](int p, int i) {
    if (p / 64 + 1 != parts) {
      parts = p / 64 + 1;
      for (auto& l : ls)
        if (!strcmp(l.name, "attention")) l.z = parts;
    }
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(device, nullptr);
    encode(e, ls, 1, false);
    wgpuCommandEncoderCopyBufferToBuffer(e, result, 0, rb[i], 0, 16);
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(e, nullptr);
    wgpuCommandEncoderRelease(e);
    return c;
  };
  double tw = 0, ts = 0, te = 0;
  for (int ahead = 0; ahead < 2; ahead++)
    for (int rep = 0; rep < 3; rep++) {
      u32 id = 5;
      WGPUCommandBuffer c = ahead ? enc(from, 0) : nullptr;
      double t0 = now();
      tw = ts = te = 0;
      for (int i = 0; i < n; i++) {
        double a = now();
        if (!ahead) c = enc(from + i, i & 1);
        double b = now();
        write_buffer(tokens, &id, 4);
        set_params(1, from + i);
        wgpuQueueSubmit(queue, 1, &c);
        wgpuCommandBufferRelease(c);
        double d = now();
        if (ahead) c = enc(from + i + 1, (i + 1) & 1);
        double e = now();
        u32 r[4];
        map_read(rb[i & 1], 16, r);
        id = r[1];
        double f = now();
        te += ahead ? e - d : b - a;
        ts += d - b;
        tw += f - e;
      }
      double w = (now() - t0) / n;
      wall[ahead] = std::min(wall[ahead], w);
      if (ahead) wgpuCommandBufferRelease(c);
      if (rep == 2)
        printf("  decode loop, %s: %.3f ms a token (encode %.3f, write+submit %.3f, wait %.3f)\n",
               ahead ? "next token encoded meanwhile" : "encoded in turn", w * 1e3, te / n * 1e3,
               ts / n * 1e3, tw / n * 1e3);
    }
  char b[300];
  snprintf(b, 300,
           "decode at %d: GPU %.3f ms; with encoding, submit, wait and reading the token %.3f ms = "
           "%.0f tokens/s; encoded ahead %.3f ms = %.0f tokens/s; %zu dispatches\n",
           from, t.gpu * 1e3, wall[0] * 1e3, 1 / wall[0], wall[1] * 1e3, 1 / wall[1], ls.size());
  decode_row += b;
}
void time_prompt(int n, int tries) {
  auto ls = batch_list(n, 0);
  auto ids = token_ids(n);
  write_buffer(tokens, ids.data(), n * 4);
  set_params(n, 0);
  Times t = best(ls, tries);
  profile(("prompt of " + std::to_string(n)).c_str(), ls);
  char b[300];
  snprintf(b, 300,
           "prompt of %d: GPU %.3f ms, with encoding, submit and wait %.3f ms (encode %.3f, submit "
           "%.3f) = %.0f tokens/s; %zu dispatches\n",
           n, t.gpu * 1e3, t.wall * 1e3, t.encode * 1e3, t.submit * 1e3, n / t.wall, ls.size());
  prompt_rows += b;
}