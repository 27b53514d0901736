// What tests ask of the system. posix_help.cc and windows_help.cc have it.
#pragma once

#include <cstdint>
#include <string>

namespace test {

/// CPU time of all threads of this process so far.
double process_cpu_seconds();
/// An environment variable, for the code under test.
void set_variable(const std::string& name, const std::string& value);
void unset_variable(const std::string& name);
/// The variable that says where programs keep what they can make again.
extern const char* const kCacheVariable;
/// Differs between processes that run at the same time.
uint64_t process_id();

}  // namespace test
