// Promises of the binding. Work runs on another thread; events and the outcome are posted to the
// JavaScript thread through a thread-safe function. Every asynchronous function of the addon uses
// this class; run() is the only place that turns exceptions into rejections.
#pragma once

#include <napi.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/error.h"

namespace hearth {

/// One promise. Created on the JavaScript thread; any thread may call post(), resolve() and
/// reject(). It must be settled exactly once: until then it keeps the process alive.
class AsyncTask : public std::enable_shared_from_this<AsyncTask> {
 public:
  using Make = std::function<Napi::Value(Napi::Env)>;
  using MakeArguments = std::function<std::vector<napi_value>(Napi::Env)>;

  /// on_event: the function that post() calls, or a value that is not a function.
  static std::shared_ptr<AsyncTask> create(Napi::Env env, const Napi::Value& on_event) {
    return std::shared_ptr<AsyncTask>(new AsyncTask(env, on_event));
  }

  Napi::Promise promise() const { return deferred_.Promise(); }

  /// Schedules a call on the JavaScript thread, which runs make() and passes its result to
  /// on_event.
  void post(MakeArguments make) {
    if (!has_event_) return;
    call([self = shared_from_this(), make = std::move(make)](Napi::Env env, Napi::Function) {
      const Napi::HandleScope scope(env);
      self->on_event_.Call(make(env));
    });
  }

  void resolve(Make make) {
    settle([make = std::move(make)](Napi::Env env, Napi::Promise::Deferred& deferred) {
      deferred.Resolve(make(env));
    });
  }

  void reject(const std::string& code, const std::string& message) {
    settle([code, message](Napi::Env env, Napi::Promise::Deferred& deferred) {
      deferred.Reject(error_value(env, code, message));
    });
  }

  /// Runs work on a new thread. The work returns a function that makes the promise's value on the
  /// JavaScript thread; if the work throws, the promise is rejected. A little memory is set aside,
  /// so that even running out of memory can be reported. If the system cannot start a thread, the
  /// work runs on this one, so that a load can still say why it fails and a closing engine can
  /// still save its pages.
  void run(std::function<Make()> work) {
    const auto set_aside = std::make_shared<std::vector<char>>(kBytesToReject);
    const auto settle_with_result = [self = shared_from_this(), work = std::move(work), set_aside] {
      try {
        self->resolve(work());
      } catch (const EngineError& error) {
        std::vector<char>().swap(*set_aside);
        self->reject(error.code, error.what());
      } catch (const std::exception& error) {
        std::vector<char>().swap(*set_aside);
        self->reject("engine-fault", error.what());
      }
    };
    try {
      thread_ = std::thread(settle_with_result);
    } catch (const std::exception&) {
      settle_with_result();
    }
  }

  AsyncTask(const AsyncTask&) = delete;
  AsyncTask& operator=(const AsyncTask&) = delete;
  ~AsyncTask() {
    if (thread_.joinable()) thread_.detach();
  }

 private:
  static constexpr size_t kBytesToReject = 64 << 10;
  using Settle = std::function<void(Napi::Env, Napi::Promise::Deferred&)>;
  using Callback = std::function<void(Napi::Env, Napi::Function)>;

  AsyncTask(Napi::Env env, const Napi::Value& on_event)
      : deferred_(Napi::Promise::Deferred::New(env)) {
    const Napi::Function none = Napi::Function::New(env, [](const Napi::CallbackInfo&) {});
    to_js_ = Napi::ThreadSafeFunction::New(env, none, "hearth", 0, 1);
    if (!on_event.IsFunction()) return;
    has_event_ = true;
    on_event_ = Napi::Persistent(on_event.As<Napi::Function>());
    on_event_.SuppressDestruct();  // settle() resets it: the last owner may be on another thread
  }

  static Napi::Value error_value(Napi::Env env, const std::string& code,
                                 const std::string& message) {
    Napi::Error error = Napi::Error::New(env, message);
    error.Set("code", code);
    return error.Value();
  }

  /// If the value cannot be made, the promise is rejected: a string may be too long for JavaScript,
  /// or memory may have run out.
  void settle(Settle settle) {
    call([self = shared_from_this(), settle = std::move(settle)](Napi::Env env, Napi::Function) {
      const Napi::HandleScope scope(env);
      try {
        settle(env, self->deferred_);
      } catch (const Napi::Error& error) {
        self->deferred_.Reject(error.Value());
      } catch (const std::bad_alloc&) {
        self->deferred_.Reject(
            error_value(env, "out-of-memory", "not enough memory for the result"));
      } catch (const std::exception& error) {
        self->deferred_.Reject(error_value(env, "engine-fault", error.what()));
      }
      if (self->has_event_) self->on_event_.Reset();
      if (self->thread_.joinable()) self->thread_.join();
      self->to_js_.Release();
    });
  }

  /// Does nothing once the JavaScript environment is shutting down.
  void call(Callback callback) {
    if (!is_closed_ && to_js_.BlockingCall(std::move(callback)) != napi_ok) is_closed_ = true;
  }

  Napi::Promise::Deferred deferred_;
  Napi::ThreadSafeFunction to_js_;
  Napi::FunctionReference on_event_;
  bool has_event_ = false;
  bool is_closed_ = false;
  std::thread thread_;
};

}  // namespace hearth
