// One function for each struct. TypeScript has already checked the options; here, numbers are only
// clamped to the range of their C++ type.
#include "addon_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hearth {
namespace {

double number(const Napi::Object& object, const char* key) {
  return object.Get(key).ToNumber().DoubleValue();
}

/// Clamps the number to the range of int.
int integer(const Napi::Object& object, const char* key) {
  constexpr double kMin = std::numeric_limits<int>::min(), kMax = std::numeric_limits<int>::max();
  const double value = number(object, key);
  return std::isnan(value) ? 0 : static_cast<int>(std::clamp(value, kMin, kMax));
}

/// For values that are never negative: negative numbers and NaN become 0.
uint64_t count(const Napi::Object& object, const char* key) {
  const double value = number(object, key);
  return value > 0 ? static_cast<uint64_t>(std::min(value, 0x1p63)) : 0;
}

std::string string(const Napi::Object& object, const char* key) {
  return object.Get(key).ToString().Utf8Value();
}

RequestKind kind_of(const Napi::Object& object) {
  constexpr std::pair<const char*, RequestKind> kKinds[] = {
      {"generate", RequestKind::kGenerate}, {"prefill", RequestKind::kPrefill},
      {"logits", RequestKind::kLogits},     {"lastLogits", RequestKind::kLastLogits},
      {"score", RequestKind::kScore},       {"continuations", RequestKind::kContinuations},
  };
  const std::string wanted = string(object, "kind");
  for (const auto& [name, kind] : kKinds)
    if (wanted == name) return kind;
  throw Napi::TypeError::New(object.Env(), "there is no request \"" + wanted + "\"");
}

Napi::Object to_js(Napi::Env env, const Timings& timings) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("promptTokens", timings.prompt_tokens);
  object.Set("cachedTokens", timings.cached_tokens);
  object.Set("prefillMs", timings.prefill_ms);
  object.Set("completionTokens", timings.completion_tokens);
  object.Set("decodeMs", timings.decode_ms);
  object.Set("ttftMs", timings.ttft_ms);
  object.Set("decodePasses", timings.decode_passes);
  return object;
}

/// Times count from the start of the first op.
Napi::Array to_js(Napi::Env env, const std::vector<OpEvent>& trace) {
  Napi::Array events = Napi::Array::New(env, trace.size());
  for (uint32_t i = 0; i < trace.size(); i++) {
    const OpEvent& event = trace[i];
    Napi::Object object = Napi::Object::New(env);
    object.Set("op", event.op);
    object.Set("layer", event.layer);
    object.Set("tokens", event.n_tokens);
    object.Set("startMs", static_cast<double>(event.start_ns - trace.front().start_ns) / 1e6);
    object.Set("ms", static_cast<double>(event.ns) / 1e6);
    object.Set("bytes", static_cast<double>(event.bytes));
    events.Set(i, object);
  }
  return events;
}

}  // namespace

std::vector<uint32_t> tokens_of(const Napi::Value& value) {
  const auto array = value.As<Napi::Uint32Array>();
  return {array.Data(), array.Data() + array.ElementLength()};
}

Napi::Value to_js(Napi::Env env, const Result& result) {
  constexpr const char* kReasons[] = {"stop", "length", "cancelled"};
  Napi::Object object = Napi::Object::New(env);
  object.Set("text", result.text);
  object.Set("tokens", typed_array<Napi::Uint32Array>(env, result.tokens));
  object.Set("finishReason", kReasons[static_cast<int>(result.finish_reason)]);
  object.Set("timings", to_js(env, result.timings));
  object.Set("values", typed_array<Napi::Float32Array>(env, result.values));
  Napi::Array alternatives = Napi::Array::New(env, result.alternatives.size());
  for (uint32_t i = 0; i < result.alternatives.size(); i++) {
    Napi::Object alternative = Napi::Object::New(env);
    alternative.Set("text", result.alternatives[i].text);
    alternative.Set("tokens", typed_array<Napi::Uint32Array>(env, result.alternatives[i].tokens));
    alternative.Set("logProbabilities",
                    typed_array<Napi::Float32Array>(env, result.alternatives[i].log_probabilities));
    alternatives.Set(i, alternative);
  }
  object.Set("alternatives", alternatives);
  if (!result.trace.empty()) object.Set("trace", to_js(env, result.trace));
  return object;
}

Napi::Value to_js(Napi::Env env, const ModelInfo& info, const Tokenizer& tokenizer) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("name", info.config.name);
  object.Set("architecture", std::string(info.config.family->architecture));
  object.Set("path", info.path);
  object.Set("fileBytes", static_cast<double>(info.file_bytes));
  object.Set("quantization", info.config.quantization);
  object.Set("layers", info.config.n_layers);
  object.Set("hidden", info.config.n_embd);
  object.Set("vocabulary", info.config.n_vocab);
  object.Set("contextTokens", info.context_tokens);
  object.Set("kvType", info.kv_type == kernels::KvType::kF16 ? "f16" : "int8");
  object.Set("device", info.is_on_gpu ? "gpu" : "cpu");
  object.Set("backend", info.backend);
  object.Set("fallbackReason", info.fallback_reason);
  object.Set("draftProblem", info.draft_problem);
  object.Set("loadMs", info.load_ms);
  object.Set("restoredPages", info.restored_pages);
  const auto texts = [env](const std::vector<std::string>& list) {
    Napi::Array array = Napi::Array::New(env, list.size());
    for (uint32_t i = 0; i < list.size(); i++) array.Set(i, list[i]);
    return array;
  };
  object.Set("adapters", texts(info.adapters));
  object.Set("diskProblems", texts(info.disk_problems));
  object.Set("weightBytes", static_cast<double>(info.weight_bytes));
  object.Set("bosToken",
             tokenizer.begin_of_text() ? static_cast<double>(*tokenizer.begin_of_text()) : -1.0);
  return object;
}

Napi::Value to_js(Napi::Env env, const ModelDescription& description) {
  Napi::Object metadata = Napi::Object::New(env);
  for (const auto& [key, text] : description.texts) metadata.Set(key, text);
  Napi::Array special = Napi::Array::New(env, description.special_tokens.size());
  for (uint32_t i = 0; i < description.special_tokens.size(); i++)
    special.Set(i, description.special_tokens[i]);
  Napi::Object object = Napi::Object::New(env);
  object.Set("metadata", metadata);
  object.Set("specialTokens", special);
  object.Set("quantization", description.quantization);
  object.Set("contextTokens", description.context_tokens);
  object.Set("fileBytes", static_cast<double>(description.file_bytes));
  object.Set("parameters", static_cast<double>(description.parameters));
  object.Set("readBytesPerToken", static_cast<double>(description.read_bytes_per_token));
  object.Set("weightsPerToken", static_cast<double>(description.weights_per_token));
  object.Set("kvBytesPerToken", static_cast<double>(description.kv_bytes_per_token));
  return object;
}

Napi::Value texts_to_js(Napi::Env env, const ModelInfo& info, const Tokenizer& tokenizer) {
  Napi::Object metadata = Napi::Object::New(env), special = Napi::Object::New(env);
  for (const auto& [key, text] : info.texts) metadata.Set(key, text);
  for (const auto& [name, id] : tokenizer.special_tokens()) special.Set(name, id);
  Napi::Object object = Napi::Object::New(env);
  object.Set("metadata", metadata);
  object.Set("specialTokens", special);
  return object;
}

Napi::Value to_js(Napi::Env env, const EngineStatus& status) {
  constexpr const char* kStates[] = {"idle", "prefill", "decode"};
  Napi::Object cache = Napi::Object::New(env);
  cache.Set("pagesTotal", status.cache.pages_total);
  cache.Set("pagesUsed", status.cache.pages_used);
  cache.Set("pagesHeld", status.cache.pages_held);
  cache.Set("pageBytes", static_cast<double>(status.page_bytes));
  cache.Set("hitTokens", static_cast<double>(status.cache.hit_tokens));
  cache.Set("missTokens", static_cast<double>(status.cache.miss_tokens));
  cache.Set("evictions", static_cast<double>(status.cache.evictions));
  Napi::Object object = Napi::Object::New(env);
  object.Set("state", kStates[static_cast<int>(status.state)]);
  object.Set("beat", static_cast<double>(status.beat));
  object.Set("token", status.token);
  object.Set("layer", status.layer);
  object.Set("op", status.op);
  object.Set("opBytes", static_cast<double>(status.op_bytes));
  object.Set("stalledMs", status.stalled_ms);
  object.Set("queued", status.queued);
  object.Set("cache", cache);
  object.Set("busyMs", status.busy_ms);
  Napi::Array ops = Napi::Array::New(env, status.ops.size());
  for (uint32_t i = 0; i < status.ops.size(); i++) {
    const OpTime& time = status.ops[i];
    Napi::Object op = Napi::Object::New(env);
    op.Set("op", time.op);
    op.Set("ms", static_cast<double>(time.ns) / 1e6);
    op.Set("calls", static_cast<double>(time.calls));
    op.Set("bytes", static_cast<double>(time.bytes));
    ops.Set(i, op);
  }
  object.Set("ops", ops);
  return object;
}

Request request_of(const Napi::Object& object) {
  Request request;
  request.kind = kind_of(object);
  request.tokens = tokens_of(object.Get("tokens"));
  const auto continuations = object.Get("continuations").As<Napi::Array>();
  for (uint32_t i = 0; i < continuations.Length(); i++)
    request.continuations.push_back(tokens_of(continuations.Get(i)));
  request.n_given = tokens_of(object.Get("given"));
  const auto heal = object.Get("heal").As<Napi::Uint8Array>();
  request.heal.assign(heal.Data(), heal.Data() + heal.ElementLength());
  request.adapter = integer(object, "adapter");
  request.max_tokens = integer(object, "maxTokens");
  request.priority = object.Get("isBackground").ToBoolean().Value() ? Priority::kBackground
                                                                    : Priority::kForeground;
  request.stop_tokens = tokens_of(object.Get("stopTokens"));
  request.traces_ops = object.Get("traceOps").ToBoolean().Value();
  request.speculate = object.Get("speculate").ToBoolean().Value();
  request.n_alternatives = integer(object, "alternatives");
  request.streams_alternatives = object.Get("streamAlternatives").ToBoolean().Value();
  request.sampling.temperature = static_cast<float>(number(object, "temperature"));
  request.sampling.top_k = integer(object, "topK");
  request.sampling.top_p = static_cast<float>(number(object, "topP"));
  request.sampling.min_p = static_cast<float>(number(object, "minP"));
  request.sampling.seed = count(object, "seed");
  return request;
}

LoadOptions load_options_of(const Napi::Object& given) {
  LoadOptions options;
  options.model_path = string(given, "modelPath");
  options.backend = string(given, "backend");
  options.gpu = string(given, "gpu");
  options.gpu_kernels = string(given, "gpuKernels");
  options.variant = string(given, "variant");
  options.n_threads = integer(given, "threads");
  options.cache_bytes = count(given, "cacheBytes");
  options.kv_type = string(given, "kvType");
  options.context_tokens = integer(given, "contextTokens");
  const auto adapters = given.Get("adapters").As<Napi::Array>();
  for (uint32_t i = 0; i < adapters.Length(); i++)
    options.adapters.push_back(adapters.Get(i).ToString().Utf8Value());
  options.draft_model_path = string(given, "draftModelPath");
  options.disk_folder = string(given, "diskFolder");
  options.disk_bytes = count(given, "diskBytes");
  return options;
}

}  // namespace hearth
