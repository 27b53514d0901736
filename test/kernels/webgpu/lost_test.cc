// Each op throws if its device is lost, and the process continues.
#include <functional>
#include <vector>

#include "../gpu/gpu_fixture.h"
#include "gpu/webgpu.h"
#include "webgpu/ops_webgpu.h"

using namespace hearth::kernels;
using namespace test::gpu;
using test::random_floats, test::TestBatch, test::to_buffer;

namespace {

/// A separate device, which tests make lost, with everything that the ops below need.
struct Lost {
  const hearth::gpu::WebgpuRuntime runtime = hearth::gpu::webgpu_runtime("");
  int n_lost = 0, n_busy = 0, n_idle = 0;
  std::shared_ptr<webgpu::Device> device = std::make_shared<webgpu::Device>(runtime.api, choice());
  webgpu::WebgpuOps ops{device};
  const TestMatrix w{BlockType::kQ8_0, 4 * 64, 64, 1}, out{BlockType::kQ8_0, 64, 128, 2},
      down{BlockType::kQ8_0, 64, 128, 3};
  std::unique_ptr<Matrix> matrix, last, low;
  std::unique_ptr<Buffer> x, norm, q, h, logits;
  const TestBatch batch{0, 3, 1};

  webgpu::DeviceChoice choice() {
    webgpu::DeviceChoice choice = hearth::gpu::choice_of(runtime.adapters.front());
    choice.on_busy = [this](bool is_busy) { is_busy ? n_busy++ : n_idle++; };
    choice.on_lost = [this] { n_lost++; };
    return choice;
  }

  Lost() {
    ops.make_kv_pool({1, 2, 1, 64, 64, 10000}, 1);
    matrix = ops.pack(std::vector{w.source()});
    last = ops.pack(std::vector{out.source()});
    low = ops.pack(std::vector{down.source()});
    x = to_buffer(ops, random_floats(256 * 64, 1)), norm = to_buffer(ops, random_floats(64, 2));
    q = ops.buffer(256 * 128), h = ops.buffer(256 * 128), logits = ops.buffer(3 * 256);
    ops.begin(batch.batch());
    ops.wait();
  }
};

const std::pair<const char*, std::function<void(Lost&)>> kOps[] = {
    {"begin", [](Lost& l) { l.ops.begin(l.batch.batch()); }},
    {"embed", [](Lost& l) { l.ops.embed(*l.matrix, l.x->data); }},
    {"norm_qkv",
     [](Lost& l) {
       l.ops.norm_qkv(0, l.norm->data, 1e-6f, *l.matrix, nullptr, l.x->data, l.q->data);
     }},
    {"attention", [](Lost& l) { l.ops.attention(0, l.q->data, l.h->data, nullptr); }},
    {"matmul_add", [](Lost& l) { l.ops.matmul_add(*l.last, l.h->data, l.x->data); }},
    {"norm_gate_up",
     [](Lost& l) {
       l.ops.norm_gate_up(l.norm->data, 1e-6f, *l.matrix, l.x->data, l.h->data, nullptr);
     }},
    {"norm_head",
     [](Lost& l) {
       const std::vector<int32_t> rows{0, 2};
       l.ops.norm_head(l.norm->data, 1e-6f, *l.matrix, l.x->data, rows, l.logits->data);
     }},
    {"norm_head_candidates",
     [](Lost& l) {
       const std::vector<uint32_t> some{1, 9};
       l.ops.norm_head_candidates(l.norm->data, 1e-6f, *l.matrix, l.x->data, 0, some,
                                  l.logits->data);
     }},
    {"argmax",
     [](Lost& l) {
       std::vector<Argmax> best(3);
       l.ops.argmax(l.logits->data, 3, 256, best);
     }},
    {"copy_page", [](Lost& l) { l.ops.copy_page(0, 0, 3); }},
    {"read_page",
     [](Lost& l) {
       std::vector<std::byte> page(l.ops.kv_page_bytes());
       l.ops.read_page(page, 0);
     }},
    {"write_page",
     [](Lost& l) { l.ops.write_page(0, std::vector<std::byte>(l.ops.kv_page_bytes())); }},
    {"write", [](Lost& l) { l.ops.write(l.x->data, std::vector<float>(8)); }},
    {"buffer", [](Lost& l) { l.ops.buffer(8); }},
};

}  // namespace

TEST("every op on a lost WebGPU device throws") {
  for (const auto& [name, op] : kOps) {
    Lost lost;
    CHECK(lost.n_busy > 0);
    CHECK_EQUAL(lost.n_busy, lost.n_idle);
    lost.runtime.api.destroy_device(lost.device->handle());
    bool has_thrown = false;
    try {
      op(lost);
      lost.ops.wait();
    } catch (const BackendError& error) {
      has_thrown = true;
    }
    if (!has_thrown) test::fail(__FILE__, __LINE__, std::string(name) + " does not throw");
    CHECK(lost.n_lost > 0);
  }
}

TEST("every op also throws if the WebGPU device is lost while it has work") {
  for (const auto& [name, op] : kOps) {
    Lost lost;
    op(lost);
    lost.runtime.api.destroy_device(lost.device->handle());
    bool has_thrown = false;
    try {
      op(lost);
      lost.ops.wait();
    } catch (const BackendError& error) {
      has_thrown = true;
    }
    if (!has_thrown) test::fail(__FILE__, __LINE__, std::string(name) + " does not throw");
  }
}
