#include "gpus.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "common/utf8.h"
#include "in_time.h"
#include "system/libraries.h"
#include "system/paths.h"

namespace hearth::gpu {
namespace {

// A compositor and a browser use a few hundred megabytes of video memory.
constexpr size_t kReservedBytes = size_t{768} << 20;

struct Vendor {
  const char* backend;
  const char* driver;
  const char* library_variable;  // an environment variable that names a library to use instead,
                                 // without a driver
  std::string (*driver_problem)();
  Runtime (*open)();

  void require_driver() const {
    if (std::getenv(library_variable)) return;
    if (const std::string problem = driver_problem(); !problem.empty())
      throw std::runtime_error(problem);
  }
};
constexpr Vendor kVendors[] = {
    {"hip", "AMD's driver", kAmdLibraryVariable, system::amd_driver_problem, amd_runtime},
    {"cuda", "NVIDIA's driver", kNvidiaLibraryVariable, system::nvidia_driver_problem,
     nvidia_runtime}};

// A driver that wakes several large GPUs takes seconds.
constexpr std::chrono::seconds kDriverLimit{30};
constexpr size_t kMaxNameBytes = 100, kMaxReasonBytes = 1000;

Runtime open_in_time(const Vendor& vendor) {
  std::optional<Runtime> runtime = in_time(kDriverLimit, vendor.open);
  if (!runtime)
    throw std::runtime_error(std::string(vendor.driver) +
                             " does not answer: update it, or restart the computer");
  for (std::string* words : {&runtime->library, &runtime->versions})
    *words = one_line(*words, kMaxNameBytes);
  for (GpuDevice& device : runtime->devices)
    for (std::string* words : {&device.name, &device.architecture})
      *words = one_line(*words, kMaxNameBytes);
  return *std::move(runtime);
}

void number(std::vector<Candidate>& gpus) {
  std::map<std::string, std::vector<Candidate*>> models;
  for (Candidate& gpu : gpus) models[gpu.model()].push_back(&gpu);
  for (const auto& [model, alike] : models) {
    if (alike.size() == 1) continue;
    int number = 0;
    for (Candidate* gpu : alike) gpu->number = ++number;
  }
}

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(system::path_of(path), std::ios::binary);
  if (!file) return {};
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<char> Candidate::read_code(const std::string& folder) const {
  std::vector<char> code;
  for (const std::string& file : {device.code_file, device.generic_code_file})
    if (code.empty() && !file.empty()) code = read_file(folder + "/" + file);
  if (code.empty())
    throw std::runtime_error("Hearth has no GPU kernels for " + device.architecture + " (" +
                             device.name + ")");
  return code;
}

kernels::hip::DeviceChoice Candidate::choice(const std::vector<char>& code) const {
  kernels::hip::DeviceChoice choice;
  choice.index = device.index;
  choice.backend = backend;
  choice.name = name();
  choice.n_processors = device.n_processors;
  choice.code_object = std::as_bytes(std::span(code));
  choice.reserved_bytes = kReservedBytes;
  choice.shared_bytes = device.shared_bytes;
  choice.has_copies = device.has_copies;
  return choice;
}

void Gpus::add_reason(const std::string& reason) {
  reasons += (reasons.empty() ? "" : "; ") + one_line(reason, kMaxReasonBytes);
}

bool has_driver(const std::string& backend) {
  for (const Vendor& vendor : kVendors)
    if (backend == vendor.backend)
      return std::getenv(vendor.library_variable) || vendor.driver_problem().empty();
  return false;
}

Gpus find_gpus(const std::string& backend) {
  Gpus gpus;
  for (const Vendor& vendor : kVendors) {
    if (backend != "auto" && backend != vendor.backend) continue;
    try {
      if (backend == "auto") vendor.require_driver();
      gpus.runtimes.push_back(std::make_unique<Runtime>(open_in_time(vendor)));
    } catch (const std::runtime_error& error) {
      gpus.add_reason(error.what());
      continue;
    }
    const Runtime& runtime = *gpus.runtimes.back();
    for (const GpuDevice& device : runtime.devices)
      gpus.candidates.push_back({vendor.backend, &runtime, device, 0});
  }
  std::stable_sort(gpus.candidates.begin(), gpus.candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return std::tuple(a.device.is_integrated, b.device.n_bytes) <
                            std::tuple(b.device.is_integrated, a.device.n_bytes);
                   });
  number(gpus.candidates);
  return gpus;
}

}  // namespace hearth::gpu
