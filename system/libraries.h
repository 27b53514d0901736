// Shared libraries: those of GPU drivers, found at run time, and the one that this code is in.
#pragma once

#include <string>
#include <vector>

namespace hearth::system {

/// nullptr if it cannot be loaded. It is never searched for in the current folder.
void* open_library(const std::string& name);
/// nullptr if the library has no such function.
void* find_function(void* library, const char* name);

/// File names of AMD's HIP runtime and of NVIDIA's driver, in the order of preference; none if the
/// system has no such driver.
std::vector<std::string> amd_libraries();
std::vector<std::string> nvidia_libraries();

/// Why a driver cannot be used, as a sentence without a period; "" if nothing speaks against it.
/// Faster than loading the library.
std::string amd_driver_problem();
std::string nvidia_driver_problem();

/// Differs between builds: size and time of the library or program that contains this code. "" if
/// unknown.
std::string this_build();

/// Where this user's programs keep what they can make again: a path, or "" if there is none.
std::string cache_folder();

}  // namespace hearth::system
