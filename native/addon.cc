// The N-API binding: JavaScript values to plain structs and back. No logic; options are checked in
// index.ts.
#include <napi.h>

#include <map>
#include <memory>
#include <string>

#include "async_task.h"
#include "engine.h"
#include "hip/backend.h"

namespace hearth {
namespace {

template <typename Array, typename T>
Array typed_array(Napi::Env env, const std::vector<T>& values) {
  Array array = Array::New(env, values.size());
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

std::vector<uint32_t> tokens_of(const Napi::Value& value) {
  const auto array = value.As<Napi::Uint32Array>();
  return {array.Data(), array.Data() + array.ElementLength()};
}

double number(const Napi::Object& object, const char* key) {
  return object.Get(key).ToNumber().DoubleValue();
}

std::string string(const Napi::Object& object, const char* key) {
  return object.Get(key).ToString().Utf8Value();
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
    alternatives.Set(i, alternative);
  }
  object.Set("alternatives", alternatives);
  return object;
}

Napi::Value to_js(Napi::Env env, const ModelInfo& info, const Tokenizer& tokenizer) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("name", info.config.name);
  object.Set("path", info.path);
  object.Set("fileBytes", static_cast<double>(info.file_bytes));
  object.Set("quantization", info.config.quantization);
  object.Set("layers", info.config.n_layers);
  object.Set("hidden", info.config.n_embd);
  object.Set("vocabulary", info.config.n_vocab);
  object.Set("contextTokens", info.context_tokens);
  object.Set("kvType", info.kv_type == kernels::KvType::kF16 ? "f16" : "int8");
  object.Set("backend", info.backend);
  object.Set("whyCpu", info.why_cpu);
  object.Set("draftProblem", info.draft_problem);
  object.Set("loadMs", info.load_ms);
  object.Set("restoredPages", info.restored_pages);
  Napi::Array problems = Napi::Array::New(env, info.disk_problems.size());
  for (uint32_t i = 0; i < info.disk_problems.size(); i++) problems.Set(i, info.disk_problems[i]);
  object.Set("diskProblems", problems);
  object.Set("weightBytes", static_cast<double>(info.weight_bytes));
  Napi::Object special = Napi::Object::New(env);
  for (const auto& [name, id] : tokenizer.special_tokens()) special.Set(name, id);
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
    ops.Set(i, op);
  }
  object.Set("ops", ops);
  return object;
}

Request request_of(const Napi::Object& object) {
  Request request;
  request.kind = static_cast<RequestKind>(object.Get("kind").ToNumber().Int32Value());
  request.tokens = tokens_of(object.Get("tokens"));
  const auto heal = object.Get("heal").As<Napi::Uint8Array>();
  request.heal.assign(heal.Data(), heal.Data() + heal.ElementLength());
  request.max_tokens = object.Get("maxTokens").ToNumber().Int32Value();
  request.priority = object.Get("isBackground").ToBoolean().Value() ? Priority::kBackground
                                                                    : Priority::kForeground;
  request.stop_tokens = tokens_of(object.Get("stopTokens"));
  request.wants_log_probabilities = object.Get("logProbabilities").ToBoolean().Value();
  request.speculate = object.Get("speculate").ToBoolean().Value();
  request.n_alternatives = object.Get("alternatives").ToNumber().Int32Value();
  request.pin = static_cast<uint64_t>(number(object, "pin"));
  request.sampling.temperature = static_cast<float>(number(object, "temperature"));
  request.sampling.top_k = object.Get("topK").ToNumber().Int32Value();
  request.sampling.top_p = static_cast<float>(number(object, "topP"));
  request.sampling.min_p = static_cast<float>(number(object, "minP"));
  request.sampling.seed = static_cast<uint64_t>(number(object, "seed"));
  return request;
}

class EngineHandle : public Napi::ObjectWrap<EngineHandle> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "EngineHandle",
                       {
                           InstanceMethod<&EngineHandle::info>("info"),
                           InstanceMethod<&EngineHandle::tokenize>("tokenize"),
                           InstanceMethod<&EngineHandle::detokenize>("detokenize"),
                           InstanceMethod<&EngineHandle::token_bytes>("tokenBytes"),
                           InstanceMethod<&EngineHandle::submit>("submit"),
                           InstanceMethod<&EngineHandle::cancel>("cancel"),
                           InstanceMethod<&EngineHandle::status>("status"),
                           InstanceMethod<&EngineHandle::close>("close"),
                       });
  }

  explicit EngineHandle(const Napi::CallbackInfo& info)
      : Napi::ObjectWrap<EngineHandle>(info),
        engine_(std::move(*info[0].As<Napi::External<std::unique_ptr<Engine>>>().Data())) {}

 private:
  Napi::Value info(const Napi::CallbackInfo& call) {
    return to_js(call.Env(), engine_->info(), engine_->tokenizer());
  }

  Napi::Value tokenize(const Napi::CallbackInfo& call) {
    const auto special =
        call[1].ToBoolean().Value() ? SpecialTokens::kParse : SpecialTokens::kAsText;
    return typed_array<Napi::Uint32Array>(
        call.Env(), engine_->tokenizer().encode(call[0].ToString().Utf8Value(), special));
  }

  Napi::Value detokenize(const Napi::CallbackInfo& call) {
    return Napi::String::New(call.Env(), engine_->tokenizer().decode(tokens_of(call[0])));
  }

  Napi::Value token_bytes(const Napi::CallbackInfo& call) {
    const std::string_view bytes = engine_->tokenizer().bytes(call[0].ToNumber().Uint32Value());
    return typed_array<Napi::Uint8Array>(call.Env(),
                                         std::vector<uint8_t>(bytes.begin(), bytes.end()));
  }

  /// submit(id, request, onText | null) -> promise
  Napi::Value submit(const Napi::CallbackInfo& call) {
    const std::shared_ptr<AsyncTask> task = AsyncTask::create(call.Env(), call[2]);
    const auto job = std::make_shared<Job>();
    job->id = static_cast<uint64_t>(call[0].ToNumber().Int64Value());
    job->request = request_of(call[1].As<Napi::Object>());
    if (call[2].IsFunction())
      job->on_text = [task](std::string_view text) {
        task->post(
            [text = std::string(text)](Napi::Env env) { return Napi::String::New(env, text); });
      };
    job->on_done = [task](Result&& result, const EngineError* error) {
      if (error) return task->reject(error->code, error->what());
      const auto shared = std::make_shared<Result>(std::move(result));
      task->resolve([shared](Napi::Env env) { return to_js(env, *shared); });
    };
    std::erase_if(jobs_, [](const auto& entry) { return entry.second.expired(); });
    jobs_[job->id] = job;
    engine_->submit(job);
    return task->promise();
  }

  Napi::Value cancel(const Napi::CallbackInfo& call) {
    const auto found = jobs_.find(static_cast<uint64_t>(call[0].ToNumber().Int64Value()));
    if (found != jobs_.end() && engine_)
      if (const std::shared_ptr<Job> job = found->second.lock()) engine_->cancel(job);
    return call.Env().Undefined();
  }

  Napi::Value status(const Napi::CallbackInfo& call) {
    return to_js(call.Env(), engine_->status());
  }

  /// Ends all jobs and frees the model, off the JavaScript thread.
  Napi::Value close(const Napi::CallbackInfo& call) {
    const std::shared_ptr<AsyncTask> task = AsyncTask::create(call.Env(), call.Env().Undefined());
    const auto engine = std::make_shared<std::unique_ptr<Engine>>(std::move(engine_));
    task->run([engine]() -> AsyncTask::Make {
      const std::unique_ptr<Engine> closing = std::move(*engine);
      closing->close();
      return [](Napi::Env env) { return env.Undefined(); };
    });
    return task->promise();
  }

  std::unique_ptr<Engine> engine_;  // null once closed; index.ts lets no call through then
  std::map<uint64_t, std::weak_ptr<Job>> jobs_;
};

/// The class, per environment.
struct Addon {
  Napi::FunctionReference handle_class;
};

/// load(options, onProgress | null) -> [promise of an EngineHandle, cancel()]
Napi::Value load(const Napi::CallbackInfo& call) {
  const auto given = call[0].As<Napi::Object>();
  LoadOptions options;
  options.model_path = string(given, "modelPath");
  options.backend = string(given, "backend");
  options.gpu_kernels = string(given, "gpuKernels");
  options.variant = string(given, "variant");
  options.n_threads = given.Get("threads").ToNumber().Int32Value();
  options.cache_bytes = static_cast<uint64_t>(number(given, "cacheBytes"));
  options.kv_type = string(given, "kvType");
  options.context_tokens = given.Get("contextTokens").ToNumber().Int32Value();
  options.draft_model_path = string(given, "draftModelPath");
  options.disk_folder = string(given, "diskFolder");
  options.disk_bytes = static_cast<uint64_t>(number(given, "diskBytes"));
  const std::shared_ptr<AsyncTask> task = AsyncTask::create(call.Env(), call[1]);
  const auto is_cancelled = std::make_shared<std::atomic<bool>>(false);
  task->run([options, task, is_cancelled]() -> AsyncTask::Make {
    double reported = 0;
    const auto on_progress = [&](double fraction) {
      if (fraction >= reported + 0.01) {
        reported = fraction;
        task->post([fraction](Napi::Env env) { return Napi::Number::New(env, fraction); });
      }
      return !is_cancelled->load();
    };
    const auto engine =
        std::make_shared<std::unique_ptr<Engine>>(Engine::load(options, on_progress));
    return [engine](Napi::Env env) -> Napi::Value {
      return env.GetInstanceData<Addon>()->handle_class.New(
          {Napi::External<std::unique_ptr<Engine>>::New(env, engine.get())});
    };
  });
  Napi::Array answer = Napi::Array::New(call.Env(), 2);
  answer.Set(0u, task->promise());
  answer.Set(1u, Napi::Function::New(call.Env(), [is_cancelled](const Napi::CallbackInfo&) {
               is_cancelled->store(true);
             }));
  return answer;
}

Napi::Value variants(const Napi::CallbackInfo& call) {
  const std::vector<std::string> names = kernels::cpu_variants();
  Napi::Array array = Napi::Array::New(call.Env(), names.size());
  for (size_t i = 0; i < names.size(); i++) array.Set(i, names[i]);
  return array;
}

Napi::Value gpus(const Napi::CallbackInfo& call) {
  try {
    return Napi::String::New(call.Env(), hip::describe_gpus());
  } catch (const std::exception& error) {
    return Napi::String::New(call.Env(), error.what());
  }
}

Napi::Object initialize(Napi::Env env, Napi::Object exports) {
  auto addon = std::make_unique<Addon>();
  addon->handle_class = Napi::Persistent(EngineHandle::define(env));
  env.SetInstanceData(addon.release());
  exports.Set("load", Napi::Function::New(env, load));
  exports.Set("variants", Napi::Function::New(env, variants));
  exports.Set("gpus", Napi::Function::New(env, gpus));
  return exports;
}

}  // namespace

NODE_API_MODULE(hearth, initialize)

}  // namespace hearth
