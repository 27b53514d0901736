// The one promise runner of the binding: work happens on another thread, its outcome and its
// streamed pieces are posted back to the JavaScript thread. run() holds the binding's only catch.
#pragma once

#include <napi.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "error.h"

namespace hearth {

/// One promise. Made on the JavaScript thread; post(), resolve() and reject() are for any thread.
/// Lives as long as the work holds it; settle it exactly once.
class AsyncTask : public std::enable_shared_from_this<AsyncTask> {
 public:
  using Make = std::function<Napi::Value(Napi::Env)>;
  using MakeArguments = std::function<std::vector<napi_value>(Napi::Env)>;

  /// on_event (may be empty) is what post() can call.
  static std::shared_ptr<AsyncTask> create(Napi::Env env, const Napi::Value& on_event) {
    return std::shared_ptr<AsyncTask>(new AsyncTask(env, on_event));
  }

  Napi::Promise promise() const { return deferred_.Promise(); }

  /// Calls on_event with the arguments, later, on the JavaScript thread.
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
      Napi::Error error = Napi::Error::New(env, message);
      error.Set("code", code);
      deferred.Reject(error.Value());
    });
  }

  /// Runs work on a thread of its own; what it returns makes the value, what it throws rejects.
  void run(std::function<Make()> work) {
    thread_ = std::thread([self = shared_from_this(), work = std::move(work)] {
      try {
        self->resolve(work());
      } catch (const EngineError& error) {
        self->reject(error.code, error.what());
      } catch (const std::exception& error) {
        self->reject("engine-fault", error.what());
      }
    });
  }

  AsyncTask(const AsyncTask&) = delete;
  AsyncTask& operator=(const AsyncTask&) = delete;
  ~AsyncTask() {
    if (thread_.joinable()) thread_.detach();
  }

 private:
  using Settle = std::function<void(Napi::Env, Napi::Promise::Deferred&)>;
  using Callback = std::function<void(Napi::Env, Napi::Function)>;

  AsyncTask(Napi::Env env, const Napi::Value& on_event)
      : deferred_(Napi::Promise::Deferred::New(env)) {
    const Napi::Function none = Napi::Function::New(env, [](const Napi::CallbackInfo&) {});
    to_js_ = Napi::ThreadSafeFunction::New(env, none, "hearth", 0, 1);
    if (!on_event.IsFunction()) return;
    has_event_ = true;
    on_event_ = Napi::Persistent(on_event.As<Napi::Function>());
    on_event_.SuppressDestruct();  // the last holder may be another thread; reset in settle()
  }

  void settle(Settle settle) {
    call([self = shared_from_this(), settle = std::move(settle)](Napi::Env env, Napi::Function) {
      const Napi::HandleScope scope(env);
      settle(env, self->deferred_);
      if (self->has_event_) self->on_event_.Reset();
      if (self->thread_.joinable()) self->thread_.join();
      self->to_js_.Release();
    });
  }

  /// Once the JavaScript side is closing, nothing more can be told to it.
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
