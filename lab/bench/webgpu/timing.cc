#include "timing.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace {

WGPUQuerySet query_set;
WGPUBuffer query_buffer;
constexpr int kQueries = 2048;
void make_queries() {
  if (has_timestamps && !query_set) {
    WGPUQuerySetDescriptor d = WGPU_QUERY_SET_DESCRIPTOR_INIT;
    d.type = WGPUQueryType_Timestamp;
    d.count = kQueries;
    query_set = wgpuDeviceCreateQuerySet(device, &d);
    query_buffer = make_buffer(kQueries * 8, WGPUBufferUsage_QueryResolve);
  }
}
}  // namespace

void encode(WGPUCommandEncoder e, const vector<Launch>& ls, int times, bool stamp) {
  make_queries();
  WGPUPassTimestampWrites tw = WGPU_PASS_TIMESTAMP_WRITES_INIT;
  tw.querySet = query_set;
  tw.beginningOfPassWriteIndex = 0;
  tw.endOfPassWriteIndex = 1;
  WGPUComputePassDescriptor pd = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
  if (has_timestamps && stamp) pd.timestampWrites = &tw;
  WGPUComputePassEncoder c = wgpuCommandEncoderBeginComputePass(e, &pd);
  WGPUComputePipeline last = nullptr;
  for (int i = 0; i < times; i++)
    for (auto& l : ls) {
      if (l.p != last) {
        wgpuComputePassEncoderSetPipeline(c, l.p);
        last = l.p;
      }
      wgpuComputePassEncoderSetBindGroup(c, 0, l.b, 0, nullptr);
      wgpuComputePassEncoderDispatchWorkgroups(c, l.x, l.y, l.z);
    }
  wgpuComputePassEncoderEnd(c);
  wgpuComputePassEncoderRelease(c);
  if (has_timestamps && stamp)
    wgpuCommandEncoderResolveQuerySet(e, query_set, 0, 2, query_buffer, 0);
}
Times run(const vector<Launch>& ls, int times) {
  double t0 = now();
  WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(device, nullptr);
  encode(e, ls, times);
  WGPUCommandBuffer c = wgpuCommandEncoderFinish(e, nullptr);
  double t1 = now();
  wgpuQueueSubmit(queue, 1, &c);
  double t2 = now();
  finish();
  double t3 = now();
  wgpuCommandBufferRelease(c);
  wgpuCommandEncoderRelease(e);
  Times r{t3 - t0, t3 - t0, t1 - t0, t2 - t1};
  if (has_timestamps) {
    auto a = read_buffer<uint64_t>(query_buffer, 2);
    r.gpu = double(a[1] - a[0]) * period * 1e-9;
  }
  return r;
}
Times best(const vector<Launch>& ls, int tries, int times) {
  run(ls);
  Times b;
  for (int i = 0; i < tries; i++) {
    Times t = run(ls, times);
    b.gpu = std::min(b.gpu, t.gpu);
    b.wall = std::min(b.wall, t.wall);
    b.encode = std::min(b.encode, t.encode);
    b.submit = std::min(b.submit, t.submit);
  }
  b.gpu /= times;
  b.wall /= times;
  b.encode /= times;
  return b;
}
void profile(const char* title, const vector<Launch>& ls) {
  if (!has_timestamps || ls.size() * 2 > kQueries) {
    printf("no profile\n");
    return;
  }
  make_queries();
  std::map<string, std::pair<int, double>> sum;
  double gaps = 0, total = 0;
  int reps = 5;
  for (int rep = -1; rep < reps; rep++) {
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(device, nullptr);
    for (u32 i = 0; i < ls.size(); i++) {
      WGPUPassTimestampWrites tw = WGPU_PASS_TIMESTAMP_WRITES_INIT;
      tw.querySet = query_set;
      tw.beginningOfPassWriteIndex = 2 * i;
      tw.endOfPassWriteIndex = 2 * i + 1;
      WGPUComputePassDescriptor pd = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
      pd.timestampWrites = &tw;
      auto& l = ls[i];
      WGPUComputePassEncoder c = wgpuCommandEncoderBeginComputePass(e, &pd);
      wgpuComputePassEncoderSetPipeline(c, l.p);
      wgpuComputePassEncoderSetBindGroup(c, 0, l.b, 0, nullptr);
      wgpuComputePassEncoderDispatchWorkgroups(c, l.x, l.y, l.z);
      wgpuComputePassEncoderEnd(c);
      wgpuComputePassEncoderRelease(c);
    }
    wgpuCommandEncoderResolveQuerySet(e, query_set, 0, ls.size() * 2, query_buffer, 0);
    submit(e);
    auto t = read_buffer<uint64_t>(query_buffer, ls.size() * 2);
    if (rep < 0) continue;
    for (u32 i = 0; i < ls.size(); i++) {
      double d = double(t[2 * i + 1] - t[2 * i]) * period * 1e-3;
      sum[ls[i].name].first++;
      sum[ls[i].name].second += d;
      if (i) gaps += double(t[2 * i] - t[2 * i - 1]) * period * 1e-3;
    }
    total += double(t[2 * ls.size() - 1] - t[0]) * period * 1e-3;
  }
  printf("profile %s (a pass a dispatch): %.0f us, of which between passes %.0f us\n", title,
         total / reps, gaps / reps);
  for (auto& [k, v] : sum)
    printf("  %-14s %4d x %8.2f us = %9.1f us\n", k.c_str(), v.first / reps, v.second / v.first,
           v.second / reps);
  fflush(stdout);
}
