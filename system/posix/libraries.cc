#include "system/libraries.h"

#include <dlfcn.h>
#include <sys/stat.h>

namespace hearth::system {

void* open_library(const std::string& name) { return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL); }

void* find_function(void* library, const char* name) { return dlsym(library, name); }

std::string this_build() {
  Dl_info info;
  struct stat status {};
  if (!dladdr(reinterpret_cast<void*>(&this_build), &info) || stat(info.dli_fname, &status) != 0)
    return "";
  return std::to_string(status.st_size) + " " + std::to_string(status.st_mtime);
}

}  // namespace hearth::system
