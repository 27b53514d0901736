// Converts between the engine's structs and JavaScript values. addon.ts and types.ts have the names
// and types on the JavaScript side.
#pragma once

#include <napi.h>

#include <string>
#include <vector>

#include "engine/description.h"
#include "engine/engine.h"

namespace hearth {

template <typename Array, typename T>
Array typed_array(Napi::Env env, const std::vector<T>& values) {
  Array array = Array::New(env, values.size());
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

std::vector<uint32_t> tokens_of(const Napi::Value& value);

Napi::Value to_js(Napi::Env env, const Result& result);
Napi::Value to_js(Napi::Env env, const ModelInfo& info, const Tokenizer& tokenizer);
Napi::Value to_js(Napi::Env env, const ModelDescription& description);
Napi::Value texts_to_js(Napi::Env env, const ModelInfo& info, const Tokenizer& tokenizer);
Napi::Value to_js(Napi::Env env, const EngineStatus& status);

Request request_of(const Napi::Object& object);
LoadOptions load_options_of(const Napi::Object& object);

}  // namespace hearth
