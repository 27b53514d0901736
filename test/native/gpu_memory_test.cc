// Checks that layers fit into a GPU's memory if gpu_needs() says so, for models of many shapes. The
// fake GPU allocates memory in pieces of 2 MiB, but computes nothing.
#include "backend/gpu_memory.h"

#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "backend/split_ops.h"
#include "gguf/gguf.h"
#include "gguf_builder.h"
#include "hip/ops_hip.h"
#include "model/forward.h"
#include "test.h"

namespace {

namespace hip = hearth::kernels::hip;
using hearth::kernels::BlockType;

/// GPU memory that is only counted. Its made-up addresses are never dereferenced.
struct DryMemory {
  size_t n_bytes = 0, n_taken = 0;
  uintptr_t next = 1 << 20;
  std::map<void*, size_t> sizes;
};
DryMemory memory;

int give_handle(void** handle, unsigned) {
  *handle = &memory;
  return 0;
}

hip::GpuApi dry_api() {
  hip::GpuApi api{};
  api.error_string = [](int) { return "an error"; };
  api.set_device = [](int) { return 0; };
  api.memory_info = [](size_t* free, size_t* total) {
    *total = memory.n_bytes, *free = memory.n_bytes - memory.n_taken;
    return 0;
  };
  api.allocate = [](void** data, size_t n_bytes) {
    const size_t n = hearth::allocated_bytes(n_bytes);
    if (n > memory.n_bytes - memory.n_taken) return hip::kOutOfMemory;
    *data = reinterpret_cast<void*>(memory.next += n_bytes);
    memory.n_taken += memory.sizes[*data] = n;
    return 0;
  };
  api.release = [](void* data) {
    memory.n_taken -= memory.sizes.at(data);
    return 0;
  };
  api.allocate_host = [](void** data, size_t n_bytes, unsigned) {
    *data = std::calloc(n_bytes, 1);
    return 0;
  };
  api.release_host = [](void* data) {
    std::free(data);
    return 0;
  };
  api.copy = [](void*, const void*, size_t, int, void*) { return 0; };
  api.fill = [](void*, int, size_t, void*) { return 0; };
  api.create_stream = api.create_event = give_handle;
  api.load_module = [](void** module, const void*) { return give_handle(module, 0); };
  api.find_function = [](void** function, void*, const char*) { return give_handle(function, 0); };
  api.record_event = [](void*, void*) { return 0; };
  api.destroy_stream = api.query_event = api.destroy_event =
      api.unload_module = [](void*) { return 0; };
  api.launch = [](void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void*, void**, void**) { return 0; };
  return api;
}

struct Shape {
  std::string architecture;
  BlockType type;
  uint32_t n_layers, n_embd, n_heads, n_kv_heads, n_ff, n_context;
  uint32_t n_experts = 0, n_used = 0;
  uint64_t rank = 0;  // the adapter's rank, or 0 if there is no adapter
};

/// A model file whose tensors are all zeros: sparse, so that it takes no space on the disk.
struct ZeroFile {
  test::GgufBuilder builder;
  uint64_t end = 0;

  void tensor(const std::string& name, const std::vector<uint64_t>& shape, BlockType type) {
    builder.tensor(name, shape, static_cast<uint32_t>(type), end);
    uint64_t n_bytes = hearth::kernels::row_bytes(type, static_cast<int>(shape[0]));
    for (size_t i = 1; i < shape.size(); i++) n_bytes *= shape[i];
    end = (end + n_bytes + 31) / 32 * 32;
  }
  std::string write(const test::TemporaryFolder& folder, const std::string& name) const {
    const std::string path = folder.write(name, builder.bytes(""));
    std::filesystem::resize_file(path, std::filesystem::file_size(path) + end);
    return path;
  }
};

/// Writes an adapter for all matrices of a model of this shape.
std::string write_adapter(const test::TemporaryFolder& folder, const Shape& s) {
  ZeroFile file;
  const auto text = [&](const std::string& key, const std::string& value) {
    file.builder.key(key, test::GgufBuilder::kString, value);
  };
  text("general.architecture", s.architecture);
  text("general.type", "adapter");
  text("adapter.type", "lora");
  const uint64_t n_kv = s.n_embd / s.n_heads * s.n_kv_heads;
  const std::tuple<const char*, uint64_t, uint64_t> matrices[] = {
      {"attn_q", s.n_embd, s.n_embd},      {"attn_k", s.n_embd, n_kv},
      {"attn_v", s.n_embd, n_kv},          {"ffn_gate", s.n_embd, s.n_ff},
      {"attn_output", s.n_embd, s.n_embd}, {"ffn_up", s.n_embd, s.n_ff},
      {"ffn_down", s.n_ff, s.n_embd}};
  for (uint32_t i = 0; i < s.n_layers; i++) {
    for (const auto& [matrix, n_cols, n_rows] : matrices) {
      const std::string name = "blk." + std::to_string(i) + "." + matrix + ".weight.lora_";
      file.tensor(name + "a", {n_cols, s.rank}, BlockType::kF16);
      file.tensor(name + "b", {s.rank, n_rows}, BlockType::kF16);
    }
  }
  return file.write(folder, "adapter.gguf");
}

std::string write_model(const test::TemporaryFolder& folder, const Shape& s) {
  constexpr uint32_t kTokens = 3000;
  ZeroFile file;
  test::GgufBuilder& builder = file.builder;
  const auto number = [&](const std::string& name, uint32_t value) {
    builder.key(s.architecture + "." + name, test::GgufBuilder::kU32, value);
  };
  builder.key("general.architecture", test::GgufBuilder::kString, s.architecture);
  builder.array("tokenizer.ggml.tokens", test::GgufBuilder::kString,
                std::vector<std::string>(kTokens, "a"));
  number("block_count", s.n_layers), number("embedding_length", s.n_embd);
  number("attention.head_count", s.n_heads), number("attention.head_count_kv", s.n_kv_heads);
  number("context_length", s.n_context), number("feed_forward_length", s.n_ff);
  const bool has_experts = s.n_experts > 0;
  if (has_experts) {
    number("expert_count", s.n_experts), number("expert_used_count", s.n_used);
    number("expert_feed_forward_length", s.n_ff);
  }
  const auto tensor = [&](const std::string& name, const std::vector<uint64_t>& shape,
                          BlockType type) { file.tensor(name, shape, type); };
  const uint64_t head_dim = s.n_embd / s.n_heads, n_kv = s.n_kv_heads * head_dim;
  tensor("token_embd.weight", {s.n_embd, kTokens}, BlockType::kQ8_0);
  tensor("output_norm.weight", {s.n_embd}, BlockType::kF32);
  for (uint32_t i = 0; i < s.n_layers; i++) {
    const auto name = [&](const std::string& part) {
      return "blk." + std::to_string(i) + "." + part;
    };
    tensor(name("attn_norm.weight"), {s.n_embd}, BlockType::kF32);
    tensor(name("ffn_norm.weight"), {s.n_embd}, BlockType::kF32);
    tensor(name("attn_q.weight"), {s.n_embd, s.n_embd}, s.type);
    tensor(name("attn_k.weight"), {s.n_embd, n_kv}, s.type);
    tensor(name("attn_v.weight"), {s.n_embd, n_kv}, s.type);
    tensor(name("attn_output.weight"), {s.n_embd, s.n_embd}, s.type);
    const auto matrix = [&](const std::string& part, uint64_t n_cols, uint64_t n_rows) {
      if (has_experts)
        tensor(name("ffn_" + part + "_exps.weight"), {n_cols, n_rows, s.n_experts}, s.type);
      else
        tensor(name("ffn_" + part + ".weight"), {n_cols, n_rows}, s.type);
    };
    matrix("gate", s.n_embd, s.n_ff), matrix("up", s.n_embd, s.n_ff);
    matrix("down", s.n_ff, s.n_embd);
    if (!has_experts) continue;
    tensor(name("attn_q_norm.weight"), {head_dim}, BlockType::kF32);
    tensor(name("attn_k_norm.weight"), {head_dim}, BlockType::kF32);
    tensor(name("ffn_gate_inp.weight"), {s.n_embd, s.n_experts}, BlockType::kF32);
  }
  return file.write(folder, "model.gguf");
}

/// Loads the model like Engine::load on a GPU with n_bytes of memory, and runs a token, with the
/// adapters if there are any. Returns the number of layers on the GPU.
int load_with(const hearth::GgufFile& file, std::span<const hearth::GgufFile> adapters,
              size_t n_bytes) {
  const hearth::ModelConfig config = hearth::read_config(file);
  const hip::GpuApi api = dry_api();
  hip::DeviceChoice choice;
  const int n_pages = 64;
  memory.n_bytes = n_bytes;
  std::unique_ptr<hearth::kernels::Ops> ops = std::make_unique<hip::HipOps>(api, choice);
  const uint64_t page_bytes = config.attention_shape(hearth::kernels::KvType::kF16, 0).page_bytes();
  const int n = hearth::gpu_needs(file, adapters, config, n_pages * page_bytes, "hip")
                    .layers_that_fit(ops->free_bytes());
  if (n == 0) return 0;
  if (n < config.n_layers)
    ops = std::make_unique<hearth::SplitOps>(hearth::kernels::make_cpu_ops({"", 1}), std::move(ops),
                                             config.n_layers, config.n_layers - n);
  hearth::Model model = hearth::load_model(file, config, *ops, {});
  for (const hearth::GgufFile& adapter : adapters)
    model.adapters.push_back(hearth::load_adapter(adapter, file, config, *ops));
  ops->make_kv_pool(
      config.attention_shape(hearth::kernels::KvType::kF16,
                             std::min(config.n_context, n_pages * hearth::kernels::kPageTokens)),
      n_pages);
  hearth::Heartbeat heartbeat;
  const std::atomic<bool> interrupt = false;
  hearth::Forward forward(*ops, model, heartbeat, interrupt);
  const std::vector<uint32_t> tokens{1};
  const std::vector<int32_t> zero{0};
  const std::span<const int32_t> table = zero;
  forward.run({tokens, zero, zero, {&table, 1}}, true, forward.n_adapters());
  forward.head(zero);
  return n;
}

}  // namespace

TEST("the layers that are chosen for a GPU fit into its memory") {
  const Shape shapes[] = {
      {"qwen2", BlockType::kQ4_K, 4, 1024, 8, 2, 4096, 2048},
      {"qwen2", BlockType::kMXFP4, 3, 896, 14, 2, 4864, 32768},
      {"qwen2", BlockType::kQ8_0, 24, 640, 10, 10, 896, 2048},  // its small matrices are merged
      {"qwen3moe", BlockType::kQ4_K, 3, 512, 4, 2, 256, 2048, 16, 4},
      {"qwen2", BlockType::kQ4_K, 4, 1024, 8, 2, 4096, 2048, 0, 0, 256},
      {"qwen2", BlockType::kQ8_0, 24, 640, 10, 10, 896, 2048, 0, 0, 20},
  };
  for (const Shape& shape : shapes) {
    const test::TemporaryFolder folder;
    const hearth::GgufFile file = hearth::GgufFile::open(write_model(folder, shape));
    std::vector<hearth::GgufFile> adapters;
    if (shape.rank > 0)
      adapters.push_back(
          hearth::open_adapter(write_adapter(folder, shape), file, hearth::read_config(file)));
    int n_before = 0;
    const size_t step = test::is_slow() ? 31 : 7;
    for (size_t mib = 8; n_before < static_cast<int>(shape.n_layers); mib += step) {
      CHECK(mib < 400);
      const int n = load_with(file, adapters, mib << 20);
      CHECK(n >= n_before);
      n_before = n;
      CHECK_EQUAL(memory.n_taken, size_t{0});
    }
  }
}
