#include <dlfcn.h>

#include <stdexcept>

#include "runtime.h"

namespace hearth::gpu {

Library::Library(const std::vector<std::string>& names) {
  for (const std::string& each : names) {
    handle = dlopen(each.c_str(), RTLD_NOW | RTLD_LOCAL);
    name = each;
    if (handle) return;
  }
}

void* Library::find(const char* function) const { return dlsym(handle, function); }

void* Library::require(const char* function) const {
  void* found = find(function);
  if (!found) throw std::runtime_error(name + " lacks " + function + ": " + update);
  return found;
}

}  // namespace hearth::gpu
