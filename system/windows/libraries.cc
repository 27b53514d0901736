#include "system/libraries.h"

#include <cstdint>
#include <cstdlib>

#include "system/paths.h"
#include "windows.h"

namespace hearth::system {

// A plain name is looked up in the system's folder and beside the program. For a path, the
// libraries that it needs are also looked up beside it. Hearth reports errors itself, so the system
// must not show a window.
void* open_library(const std::string& name) {
  const std::filesystem::path path = path_of(name);
  DWORD flags = LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
  if (path.is_absolute()) flags |= LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR;
  return reinterpret_cast<void*>(LoadLibraryExW(path.c_str(), nullptr, flags));
}

void* find_function(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

// The drivers install both in the system's folder.
std::vector<std::string> amd_libraries() {
  return {"amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"};
}
std::vector<std::string> nvidia_libraries() { return {"nvcuda.dll"}; }

// There are no device files to look for.
std::string amd_driver_problem() { return ""; }
std::string nvidia_driver_problem() { return ""; }

std::string this_build() {
  HMODULE module = nullptr;
  if (!GetModuleHandleExW(
          GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
          reinterpret_cast<LPCWSTR>(reinterpret_cast<void*>(&this_build)), &module))
    return "";
  std::wstring name(32'768, L'\0');
  name.resize(GetModuleFileNameW(module, name.data(), static_cast<DWORD>(name.size())));
  WIN32_FILE_ATTRIBUTE_DATA data;
  if (!GetFileAttributesExW(name.c_str(), GetFileExInfoStandard, &data)) return "";
  return std::to_string(data.nFileSizeLow) + " " +
         std::to_string(data.ftLastWriteTime.dwHighDateTime) + "-" +
         std::to_string(data.ftLastWriteTime.dwLowDateTime);
}

std::string cache_folder() {
  const wchar_t* local = _wgetenv(L"LOCALAPPDATA");
  return local && *local ? narrow(local) : "";
}

}  // namespace hearth::system
