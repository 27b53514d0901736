#include <stdlib.h>
#include <windows.h>

#include "system_help.h"

namespace test {

const char* const kCacheVariable = "LOCALAPPDATA";

namespace {

double seconds(const FILETIME& time) {
  return 1e-7 * static_cast<double>(uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime);
}

}  // namespace

double process_cpu_seconds() {
  FILETIME started, ended, kernel, user;
  GetProcessTimes(GetCurrentProcess(), &started, &ended, &kernel, &user);
  return seconds(kernel) + seconds(user);
}

void set_variable(const std::string& name, const std::string& value) {
  _putenv_s(name.c_str(), value.c_str());
}
void unset_variable(const std::string& name) { _putenv_s(name.c_str(), ""); }
uint64_t process_id() { return GetCurrentProcessId(); }

}  // namespace test
