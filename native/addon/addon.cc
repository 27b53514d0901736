// The Node-API binding: the engine as a JavaScript object. It converts values and contains no
// logic; index.ts and loaded-engine.ts have checked the options. Slow functions return a promise
// (AsyncTask) and do not block the JavaScript thread.
#include <napi.h>

#include <map>
#include <memory>
#include <string>

#include "addon_values.h"
#include "async_task.h"
#include "gpu/backend.h"
#include "gpu/report.h"
#include "gpu/test_record.h"
#include "system/pipes.h"

namespace hearth {
namespace {

class EngineHandle : public Napi::ObjectWrap<EngineHandle> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "EngineHandle",
                       {
                           InstanceMethod<&EngineHandle::info>("info"),
                           InstanceMethod<&EngineHandle::texts>("texts"),
                           InstanceMethod<&EngineHandle::tokenize>("tokenize"),
                           InstanceMethod<&EngineHandle::detokenize>("detokenize"),
                           InstanceMethod<&EngineHandle::token_bytes>("tokenBytes"),
                           InstanceMethod<&EngineHandle::submit>("submit"),
                           InstanceMethod<&EngineHandle::pin>("pin"),
                           InstanceMethod<&EngineHandle::learn>("learn"),
                           InstanceMethod<&EngineHandle::clear_cache>("clearCache"),
                           InstanceMethod<&EngineHandle::cancel>("cancel"),
                           InstanceMethod<&EngineHandle::end_answer>("endAnswer"),
                           InstanceMethod<&EngineHandle::status>("status"),
                           InstanceMethod<&EngineHandle::close>("close"),
                       });
  }

  explicit EngineHandle(const Napi::CallbackInfo& info)
      : Napi::ObjectWrap<EngineHandle>(info),
        engine_(std::move(*info[0].As<Napi::External<std::unique_ptr<Engine>>>().Data())) {}

 private:
  Napi::Value info(const Napi::CallbackInfo& call) {
    const Engine& engine = open_engine(call);
    return to_js(call.Env(), engine.info(), engine.tokenizer());
  }

  Napi::Value texts(const Napi::CallbackInfo& call) {
    const Engine& engine = open_engine(call);
    return texts_to_js(call.Env(), engine.info(), engine.tokenizer());
  }

  Napi::Value tokenize(const Napi::CallbackInfo& call) {
    const auto special =
        call[1].ToBoolean().Value() ? SpecialTokens::kParse : SpecialTokens::kAsText;
    return typed_array<Napi::Uint32Array>(
        call.Env(), open_engine(call).tokenizer().encode(call[0].ToString().Utf8Value(), special));
  }

  Napi::Value detokenize(const Napi::CallbackInfo& call) {
    return Napi::String::New(call.Env(), open_engine(call).tokenizer().decode(tokens_of(call[0])));
  }

  Napi::Value token_bytes(const Napi::CallbackInfo& call) {
    const std::string_view bytes =
        open_engine(call).tokenizer().bytes(call[0].ToNumber().Uint32Value());
    return typed_array<Napi::Uint8Array>(call.Env(),
                                         std::vector<uint8_t>(bytes.begin(), bytes.end()));
  }

  /// submit(id, request, onText | null) -> promise
  Napi::Value submit(const Napi::CallbackInfo& call) {
    Engine& engine = open_engine(call);
    const auto job = std::make_shared<Job>();
    job->id = static_cast<uint64_t>(call[0].ToNumber().Int64Value());
    job->request = request_of(call[1].As<Napi::Object>());
    // Created last: reading a value may throw, and a task that is never settled would keep the
    // process alive.
    const std::shared_ptr<AsyncTask> task = AsyncTask::create(call.Env(), call[2]);
    if (call[2].IsFunction())
      job->on_text = [task](const Piece& piece) {
        task->post([text = std::string(piece.text), probability = piece.log_probability,
                    answer = piece.answer](Napi::Env env) {
          return std::vector<napi_value>{Napi::String::New(env, text),
                                         Napi::Number::New(env, probability),
                                         Napi::Number::New(env, answer)};
        });
      };
    job->on_done = [task](Result&& result, const EngineError* error) {
      if (error) return task->reject(error->code, error->what());
      const auto shared = std::make_shared<Result>(std::move(result));
      task->resolve([shared](Napi::Env env) { return to_js(env, *shared); });
    };
    std::erase_if(jobs_, [](const auto& entry) { return entry.second.expired(); });
    jobs_[job->id] = job;
    engine.submit(job);
    return task->promise();
  }

  /// pin(id, tokens, adapter) -> promise
  Napi::Value pin(const Napi::CallbackInfo& call) {
    const auto id = static_cast<uint64_t>(call[0].ToNumber().Int64Value());
    std::vector<uint32_t> tokens = tokens_of(call[1]);
    const int adapter = call[2].ToNumber().Int32Value();
    Engine& engine = open_engine(call);
    return promise(call,
                   [&](Engine::Done done) { engine.pin(id, std::move(tokens), adapter, done); });
  }

  /// learn(tokens) -> promise
  Napi::Value learn(const Napi::CallbackInfo& call) {
    std::vector<uint32_t> tokens = tokens_of(call[0]);
    Engine& engine = open_engine(call);
    return promise(call, [&](Engine::Done done) { engine.learn(std::move(tokens), done); });
  }

  /// clearCache() -> promise
  Napi::Value clear_cache(const Napi::CallbackInfo& call) {
    Engine& engine = open_engine(call);
    return promise(call, [&](Engine::Done done) { engine.clear_cache(done); });
  }

  /// Returns a promise of undefined. start(done) starts the work; the promise is settled once done
  /// is called.
  template <typename Start>
  static Napi::Value promise(const Napi::CallbackInfo& call, Start start) {
    const std::shared_ptr<AsyncTask> task = AsyncTask::create(call.Env(), call.Env().Undefined());
    start([task](const EngineError* error) {
      if (error) return task->reject(error->code, error->what());
      task->resolve([](Napi::Env env) { return env.Undefined(); });
    });
    return task->promise();
  }

  Napi::Value cancel(const Napi::CallbackInfo& call) {
    if (const std::shared_ptr<Job> job = find_job(call[0])) open_engine(call).cancel(job);
    return call.Env().Undefined();
  }

  /// endAnswer(id, index of the answer)
  Napi::Value end_answer(const Napi::CallbackInfo& call) {
    if (const std::shared_ptr<Job> job = find_job(call[0]))
      open_engine(call).end_answer(job, call[1].ToNumber().Int32Value());
    return call.Env().Undefined();
  }

  /// Throws if the engine has been closed.
  Engine& open_engine(const Napi::CallbackInfo& call) const {
    if (!engine_) throw Napi::Error::New(call.Env(), "the engine was closed");
    return *engine_;
  }

  /// Null once the job has ended or the engine is closed.
  std::shared_ptr<Job> find_job(const Napi::Value& id) const {
    const auto found = jobs_.find(static_cast<uint64_t>(id.ToNumber().Int64Value()));
    return found != jobs_.end() && engine_ ? found->second.lock() : nullptr;
  }

  Napi::Value status(const Napi::CallbackInfo& call) {
    return to_js(call.Env(), open_engine(call).status());
  }

  /// close() -> promise. Ends all jobs and frees the model on another thread.
  Napi::Value close(const Napi::CallbackInfo& call) {
    open_engine(call);
    const std::shared_ptr<AsyncTask> task = AsyncTask::create(call.Env(), call.Env().Undefined());
    const auto engine = std::make_shared<std::unique_ptr<Engine>>(std::move(engine_));
    task->run([engine]() -> AsyncTask::Make {
      const std::unique_ptr<Engine> closing = std::move(*engine);
      closing->close();
      return [](Napi::Env env) { return env.Undefined(); };
    });
    return task->promise();
  }

  std::unique_ptr<Engine> engine_;  // null once closed
  std::map<uint64_t, std::weak_ptr<Job>> jobs_;
};

/// One for each JavaScript environment (the main thread, a worker).
struct Addon {
  Napi::FunctionReference handle_class;
};

/// load(options, onProgress | null) -> [promise of an EngineHandle, cancel()]
Napi::Value load(const Napi::CallbackInfo& call) {
  const LoadOptions options = load_options_of(call[0].As<Napi::Object>());
  const std::shared_ptr<AsyncTask> task = AsyncTask::create(call.Env(), call[1]);
  const auto is_cancelled = std::make_shared<std::atomic<bool>>(false);
  task->run([options, task, is_cancelled]() -> AsyncTask::Make {
    double reported = 0;
    const auto on_progress = [&](double fraction) {
      if (fraction >= reported + 0.01) {
        reported = fraction;
        task->post([fraction](Napi::Env env) {
          return std::vector<napi_value>{Napi::Number::New(env, fraction)};
        });
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

/// describe(path) -> promise of a description
Napi::Value describe_model(const Napi::CallbackInfo& call) {
  const std::string path = call[0].ToString();
  const std::shared_ptr<AsyncTask> task = AsyncTask::create(call.Env(), call.Env().Undefined());
  task->run([path]() -> AsyncTask::Make {
    const ModelDescription description = describe(path);
    return [description](Napi::Env env) { return to_js(env, description); };
  });
  return task->promise();
}

/// checkAdapter(modelPath, adapterPath) -> promise
Napi::Value check_adapter_of(const Napi::CallbackInfo& call) {
  const std::string model = call[0].ToString(), adapter = call[1].ToString();
  const std::shared_ptr<AsyncTask> task = AsyncTask::create(call.Env(), call.Env().Undefined());
  task->run([model, adapter]() -> AsyncTask::Make {
    check_adapter(model, adapter);
    return [](Napi::Env env) { return env.Undefined(); };
  });
  return task->promise();
}

Napi::Value variants(const Napi::CallbackInfo& call) {
  const std::vector<std::string> names = kernels::cpu_variants();
  Napi::Array array = Napi::Array::New(call.Env(), names.size());
  for (size_t i = 0; i < names.size(); i++) array.Set(i, names[i]);
  return array;
}

/// Runs `make` on another thread and returns a promise of the string that it makes.
Napi::Value text_of(Napi::Env env, std::function<std::string()> make) {
  const std::shared_ptr<AsyncTask> task = AsyncTask::create(env, env.Undefined());
  task->run([make = std::move(make)]() -> AsyncTask::Make {
    return [text = make()](Napi::Env env) { return Napi::String::New(env, text); };
  });
  return task->promise();
}

/// gpus(backend, kernels) -> promise of a string
Napi::Value gpus(const Napi::CallbackInfo& call) {
  const std::string backend = call[0].ToString(), kernels = call[1].ToString();
  return text_of(call.Env(), [backend, kernels] { return gpu::describe_gpus(backend, kernels); });
}

/// gpuDriver(backend) -> { isThere, recordFile, trialsFile }
Napi::Value gpu_driver(const Napi::CallbackInfo& call) {
  const std::string backend = call[0].ToString();
  Napi::Object driver = Napi::Object::New(call.Env());
  driver.Set("isThere", gpu::has_driver(backend));
  driver.Set("recordFile", gpu::record_file("gpu-driver", backend));
  driver.Set("trialsFile", gpu::record_file("gpu-trials", backend));
  return driver;
}

/// unservedGpu(backend, kernels, gpu) -> promise of a string
Napi::Value unserved_gpu(const Napi::CallbackInfo& call) {
  gpu::GpuOptions options;
  options.backend = call[0].ToString();
  options.kernels = call[1].ToString();
  options.device = call[2].ToString();
  return text_of(call.Env(), [options] { return gpu::unserved_gpu(options); });
}

/// gpuReport(backend, kernels, isBrief) -> promise of a string. backend: "webgpu", or "auto" for
/// HIP and CUDA.
Napi::Value gpu_report(const Napi::CallbackInfo& call) {
  const std::string backend = call[0].ToString(), kernels = call[1].ToString();
  gpu::ReportEffort effort;
  if (call[2].ToBoolean()) effort = {16, 256, 9, 1, 1};
  const auto make = backend == "webgpu" ? gpu::webgpu_report : gpu::report;
  return text_of(call.Env(), [make, kernels, effort] { return make(kernels, effort); });
}

Napi::Value keep_others_out(const Napi::CallbackInfo& call) {
  return Napi::String::New(call.Env(), system::keep_others_out(call[0].ToString()));
}

Napi::Object initialize(Napi::Env env, Napi::Object exports) {
  auto addon = std::make_unique<Addon>();
  addon->handle_class = Napi::Persistent(EngineHandle::define(env));
  env.SetInstanceData(addon.release());
  exports.Set("load", Napi::Function::New(env, load));
  exports.Set("describe", Napi::Function::New(env, describe_model));
  exports.Set("checkAdapter", Napi::Function::New(env, check_adapter_of));
  exports.Set("variants", Napi::Function::New(env, variants));
  exports.Set("gpus", Napi::Function::New(env, gpus));
  exports.Set("gpuDriver", Napi::Function::New(env, gpu_driver));
  exports.Set("unservedGpu", Napi::Function::New(env, unserved_gpu));
  exports.Set("gpuReport", Napi::Function::New(env, gpu_report));
  exports.Set("keepOthersOut", Napi::Function::New(env, keep_others_out));
  return exports;
}

}  // namespace

NODE_API_MODULE(hearth, initialize)

}  // namespace hearth
