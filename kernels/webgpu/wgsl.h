// The text of kernels. WGSL has no includes, so a kernel is constants followed by several files,
// concatenated.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearth::kernels::webgpu {

/// Returns a kernel's text: the constants, then the files, which are named without ".wgsl".
std::string wgsl(const std::vector<const char*>& files,
                 const std::vector<std::pair<const char*, long>>& constants);

/// Returns the text of this folder's file NAME.wgsl, or an empty text if there is none. The build
/// writes this function, with the texts, into wgsl_files.cc.
std::string_view wgsl_file(std::string_view name);
/// Returns the texts of all files, which identify this version of the kernels.
std::string all_wgsl();

}  // namespace hearth::kernels::webgpu
