#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "system_help.h"

namespace test {

const char* const kCacheVariable = "XDG_CACHE_HOME";

double process_cpu_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void set_variable(const std::string& name, const std::string& value) {
  setenv(name.c_str(), value.c_str(), 1);
}
void unset_variable(const std::string& name) { unsetenv(name.c_str()); }
uint64_t process_id() { return static_cast<uint64_t>(getpid()); }

}  // namespace test
