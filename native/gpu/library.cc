#include "system/libraries.h"

#include <cstdlib>
#include <stdexcept>

#include "runtime.h"

namespace hearth::gpu {

Library::Library(const char* variable, std::vector<std::string> names) {
  if (const char* named = std::getenv(variable)) names = {named};
  for (const std::string& each : names) {
    name = each;
    handle = system::open_library(each);
    if (handle) return;
  }
  name = names.empty() ? "the library" : names.front();
}

void* Library::find(const char* function) const { return system::find_function(handle, function); }

void* Library::require(const char* function) const {
  void* found = find(function);
  if (!found) throw std::runtime_error(name + " lacks " + function + ": " + update);
  return found;
}

}  // namespace hearth::gpu
