#include "wgsl.h"

#include <stdexcept>

namespace hearth::kernels::webgpu {

std::string wgsl(const std::vector<const char*>& files,
                 const std::vector<std::pair<const char*, long>>& constants) {
  std::string text;
  for (const auto& [name, value] : constants)
    text += std::string("const ") + name + " = " + std::to_string(value) + "u;\n";
  for (const char* file : files) {
    const std::string_view part = wgsl_file(file);
    if (part.empty()) throw std::logic_error(std::string("no kernel file ") + file);
    text += part;
  }
  return text;
}

}  // namespace hearth::kernels::webgpu
