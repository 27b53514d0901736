// Finds the Node-API functions in the program that loads the addon, whatever its name. (A normal
// import would require node.exe, but VS Code is Code.exe.) Node's header declares the functions as
// imported, so a call goes through a pointer named __imp_NAME. Usually the linker defines these
// pointers; here we define them, and set them when the addon is loaded. native/node-api.cmake lists
// the functions. A function that the program lacks is null.
#include "system/windows/windows.h"

extern "C" {
#define HEARTH_NODE_API(name) void* __imp_##name = nullptr;
#include HEARTH_NODE_API_FUNCTIONS
#undef HEARTH_NODE_API
}

namespace {

struct Function {
  const char* name;
  void** address;
};

const Function kFunctions[] = {
#define HEARTH_NODE_API(name) {#name, &__imp_##name},
#include HEARTH_NODE_API_FUNCTIONS
#undef HEARTH_NODE_API
};

bool find_all() {
  HMODULE host = GetModuleHandleW(L"libnode.dll");
  if (!host) host = GetModuleHandleW(nullptr);
  for (const auto& [name, address] : kFunctions)
    *address = reinterpret_cast<void*>(GetProcAddress(host, name));
  return true;
}

[[maybe_unused]] const bool kAreFound = find_all();

}  // namespace
