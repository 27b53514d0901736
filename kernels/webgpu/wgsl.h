// The text of kernels: WGSL has no includes, so a kernel is constants followed by files, one behind
// the other.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearth::kernels::webgpu {

/// The constants, then the files.
std::string wgsl(const std::vector<const char*>& files,
                 const std::vector<std::pair<const char*, long>>& constants);

/// A file of this folder, named without ".wgsl": from wgsl_files.cc, which the build writes.
std::string_view wgsl_file(std::string_view name);
/// All of them, to tell versions apart.
std::string all_wgsl();

}  // namespace hearth::kernels::webgpu
