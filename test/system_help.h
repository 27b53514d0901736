// Functions of the operating system for tests, implemented in posix_help.cc and windows_help.cc.
#pragma once

#include <cstdint>
#include <string>

namespace test {

/// CPU time of all threads of this process so far.
double process_cpu_seconds();
/// Sets an environment variable for the code under test.
void set_variable(const std::string& name, const std::string& value);
void unset_variable(const std::string& name);
/// The environment variable with the path of the user's cache folder.
extern const char* const kCacheVariable;
/// A number that differs between processes running at the same time.
uint64_t process_id();

}  // namespace test
