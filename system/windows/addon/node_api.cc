// Node-API of the program that has loaded the addon, whatever its name: VS Code is Code.exe, while
// an import by name would ask for node.exe. A function that its header declares as imported is
// called by a pointer, __imp_NAME, which is the linker's as a rule. Here they are our own, and are
// set while the addon is loaded. native/node-api.cmake lists the functions; one that the program
// lacks is null.
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
