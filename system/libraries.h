// Shared libraries: GPU drivers, which are loaded at run time, and the library with this code.
#pragma once

#include <string>
#include <vector>

namespace hearth::system {

/// nullptr if the library cannot be loaded. The current folder is never searched.
void* open_library(const std::string& name);
/// nullptr if the library has no such function.
void* find_function(void* library, const char* name);

/// File names of AMD's HIP runtime and of NVIDIA's driver, in order of preference; empty if the
/// vendor has no driver for the system.
std::vector<std::string> amd_libraries();
std::vector<std::string> nvidia_libraries();

/// Why a driver cannot be used, as a sentence without a period; "" if no reason is known. Faster
/// than loading the library.
std::string amd_driver_problem();
std::string nvidia_driver_problem();

/// A text that differs between builds: size and time of the library or program with this code. ""
/// if unknown.
std::string this_build();

/// The path of the user's cache folder, for files that programs can make again; "" if there is
/// none.
std::string cache_folder();

}  // namespace hearth::system
