// If a GPU is unusable for any reason, the model is loaded on the CPU, and the user is told why. A
// fake libamdhip64 or a fake libcuda emulates the GPU.
#ifdef HEARTH_FAKE_HIP
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "ask.h"
#include "gpu/gpus.h"
#include "gpu/in_time.h"
#include "gpu/test_record.h"
#include "system_help.h"
#include "test.h"

namespace {

namespace fs = std::filesystem;

constexpr const char *kHip = "hip", *kCuda = "cuda";

/// A machine with a fake GPU, kernels for it, and an empty cache folder.
class FakeMachine {
 public:
  FakeMachine(const std::string& backend, const std::string& fault) : backend_(backend) {
    fs::create_directories(folder_ / "kernels");
    for (const char* name : {"gfx1100.co", "nvidia.fatbin"})
      std::ofstream(folder_ / "kernels" / name) << "code";
    test::set_variable("HEARTH_HIP_LIBRARY", HEARTH_FAKE_HIP);
    test::set_variable("HEARTH_CUDA_LIBRARY", HEARTH_FAKE_CUDA);
    test::set_variable(test::kCacheVariable, (folder_ / "cache").string());
    set_fault(fault);
  }
  ~FakeMachine() {
    for (const char* name :
         {"HEARTH_HIP_LIBRARY", "HEARTH_CUDA_LIBRARY", test::kCacheVariable, "HEARTH_FAKE_GPU"})
      test::unset_variable(name);
    fs::remove_all(folder_);
  }
  void set_fault(const std::string& fault) { test::set_variable("HEARTH_FAKE_GPU", fault); }
  /// Records that all GPUs have passed their self-tests, which would take seconds in the emulation.
  void remember_self_tests() const {
    const hearth::gpu::Gpus gpus = hearth::gpu::find_gpus(backend_);
    for (const hearth::gpu::Candidate& gpu : gpus.candidates) record_of(gpu).record_pass();
  }
  hearth::gpu::TestRecord record_of(const hearth::gpu::Candidate& gpu) const {
    const std::vector<char> code = gpu.read_code(kernels().string());
    return {gpu.identity(), gpu.choice(code).code_object};
  }
  fs::path cache() const { return folder_ / "cache" / "hearth"; }
  fs::path kernels() const { return folder_ / "kernels"; }

  std::unique_ptr<hearth::Engine> load(const std::string& gpu = "",
                                       const std::string& model = "tiny-mixed",
                                       const std::function<bool(double)>& progress = {}) const {
    hearth::LoadOptions options;
    options.model_path = std::string(HEARTH_FIXTURES) + "/reference/" + model + ".gguf";
    options.backend = backend_;
    options.gpu = gpu;
    options.gpu_kernels = (folder_ / "kernels").string();
    options.n_threads = 1;
    options.cache_bytes = size_t{80} << 20;
    return hearth::Engine::load(options, progress);
  }

 private:
  const std::string backend_;
  const fs::path folder_ =
      fs::temp_directory_path() / ("hearth-gpu-" + std::to_string(test::process_id()));
};

std::vector<uint32_t> answer(hearth::Engine& engine) {
  hearth::Request request;
  request.tokens = {5, 6, 7, 8};
  request.max_tokens = 4;
  return test::ask(engine, std::move(request)).tokens;
}

/// Checks that with this fault the reason is reported and the CPU answers.
void check_runs_on_cpu(const std::string& backend, const std::string& fault,
                       const std::string& reason) {
  const FakeMachine machine(backend, fault);
  const auto engine = machine.load();
  CHECK_EQUAL(engine->info().fallback_reason, reason);
  CHECK(engine->info().backend.starts_with("cpu "));
  CHECK(answer(*engine) == answer(*test::load_tiny(1, 0)));
}

}  // namespace

TEST("without a GPU of a known architecture, the CPU is used") {
  check_runs_on_cpu(kHip, "none", "no AMD GPU: AMD's runtime finds none (hipErrorNoDevice)");
  check_runs_on_cpu(kHip, "unknown", "Hearth has no GPU kernels for gfx803 (Emulated GPU)");
  check_runs_on_cpu(kCuda, "none", "no NVIDIA GPU: the driver finds none");
  check_runs_on_cpu(kCuda, "init",
                    "no NVIDIA GPU: the driver says \"no CUDA-capable device is detected\"");
  check_runs_on_cpu(kCuda, "unknown",
                    "Hearth has no GPU kernels for sm_50 (NVIDIA Large); Hearth has no GPU kernels "
                    "for sm_50 (NVIDIA Small)");
}

TEST("a driver's message becomes one line of visible characters") {
  const FakeMachine machine(kCuda, "words");
  for (const hearth::gpu::Candidate& gpu : hearth::gpu::find_gpus(kCuda).candidates)
    CHECK_EQUAL(gpu.device.name, "GPU [error]  [2J x\xef\xbf\xbd");
}

TEST("a driver call that hangs is given up; other calls return their result or throw") {
  using hearth::gpu::in_time;
  using std::chrono::milliseconds, std::chrono::seconds;
  const auto never = std::make_shared<std::promise<int>>();
  CHECK(!in_time(milliseconds(50), [never] { return never->get_future().get(); }));
  never->set_value(1);
  CHECK_EQUAL(in_time(seconds(60), [] { return 7; }).value_or(0), 7);
  std::string message;
  try {
    in_time(seconds(60), []() -> int { throw std::runtime_error("no GPU"); });
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  CHECK_EQUAL(message, "no GPU");
}

TEST("when a driver call has returned, its thread has ended before the result is used") {
  static std::atomic<bool> has_ended = false;
  struct Ending {
    ~Ending() {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      has_ended = true;
    }
    int value = 7;
  };
  const auto value = hearth::gpu::in_time(std::chrono::seconds(60), [] {
    thread_local Ending ending;
    return ending.value;
  });
  CHECK_EQUAL(value.value_or(0), 7);
  CHECK(has_ended);
}

TEST("a Radeon counts compute units, not pairs of them, and can use generic kernels") {
  const FakeMachine machine(kHip, "");
  const hearth::gpu::Gpus gpus = hearth::gpu::find_gpus(kHip);
  const hearth::gpu::Candidate& gpu = gpus.candidates.front();
  CHECK_EQUAL(gpu.device.n_processors, 4);
  fs::rename(machine.kernels() / "gfx1100.co", machine.kernels() / "gfx11-generic.co");
  const std::vector<char> code = gpu.read_code(machine.kernels().string());
  CHECK_EQUAL(std::string(code.begin(), code.end()), "code");
}

TEST("if the driver cannot read the kernels, the CPU is used") {
  const FakeMachine machine(kCuda, "old");
  CHECK(machine.load("large")->info().fallback_reason.starts_with(
      "GPU sm_90 NVIDIA Large: loading the kernels failed: NVIDIA's driver is older than Hearth's "
      "kernels: update it"));
}

TEST("if GPUs that passed the self-test can no longer be opened, the CPU is used") {
  FakeMachine machine(kCuda, "");
  machine.remember_self_tests();
  machine.set_fault("old");
  const std::string reason = machine.load()->info().fallback_reason;
  CHECK(reason.starts_with("GPU sm_90 NVIDIA Large: loading the kernels failed: "));
  CHECK(reason.find("; GPU sm_90 NVIDIA Small: loading the kernels failed: ") != std::string::npos);
}

TEST("a model that the GPU cannot run goes to the CPU before any weight is uploaded") {
  const FakeMachine machine(kHip, "");
  machine.remember_self_tests();
  double last = 0;
  bool has_begun_again = false;
  const auto engine = machine.load("", "tiny-mixed", [&](double fraction) {
    has_begun_again = has_begun_again || fraction < last;
    last = fraction;
    return true;
  });
  CHECK_EQUAL(engine->info().fallback_reason,
              "FFN gate and up of different types run on the CPU only");
  CHECK(last > 0 && !has_begun_again);
}

TEST("if the GPU has too little memory, the CPU is used") {
  {
    const FakeMachine machine(kHip, "small");
    CHECK(machine.load()->info().fallback_reason.starts_with(
        "GPU gfx1100 Emulated GPU: the model and its cache need "));
  }
  {
    const FakeMachine machine(kCuda, "small");
    CHECK(machine.load()->info().fallback_reason.starts_with(
        "GPU sm_90 NVIDIA Large: the model and its cache need "));
  }
}

TEST("if the self-test fails, the CPU is used") {
  check_runs_on_cpu(kHip, "wrong:attention_64",
                    "the GPU fails its self-test: attention with heads of 64 comes out wrong; "
                    "update the GPU driver");
}

TEST("the result of a self-test and the loss of a GPU are remembered until the record is deleted") {
  const char* passed = "FFN gate and up of different types run on the CPU only";
  FakeMachine machine(kCuda, "");
  CHECK_EQUAL(machine.load("large")->info().fallback_reason, passed);
  const hearth::gpu::Gpus gpus = hearth::gpu::find_gpus(kCuda);
  CHECK(machine.record_of(gpus.candidates.front()).has_passed());
  machine.set_fault("wrong:attention_64");
  CHECK_EQUAL(machine.load("large")->info().fallback_reason, passed);

  const fs::path record = *fs::directory_iterator(machine.cache());
  const std::string key = record.filename().string().substr(std::string("gpu-test-").size());
  const fs::path lost = machine.cache() / ("gpu-lost-" + key);
  std::ofstream(lost).flush();
  machine.set_fault("small");  // even its memory is not queried
  CHECK_EQUAL(machine.load("large")->info().fallback_reason,
              "the GPU stopped answering before, with this driver; update the driver, or delete " +
                  lost.string() + " to try again");
  fs::remove(lost);
  machine.set_fault("");
  CHECK_EQUAL(machine.load("large")->info().fallback_reason, passed);
}

TEST("identical GPUs are numbered, so that one can be chosen") {
  const FakeMachine machine(kCuda, "twins");
  machine.remember_self_tests();
  const hearth::gpu::Gpus gpus = hearth::gpu::find_gpus(kCuda);
  CHECK_EQUAL(gpus.candidates[0].name(), "sm_90 NVIDIA Large #1");
  CHECK_EQUAL(gpus.candidates[1].name(), "sm_90 NVIDIA Large #2");
  CHECK_EQUAL(gpus.candidates[1].device.index, 1);
  machine.record_of(gpus.candidates[1]).record_loss();
  CHECK(machine.load("large #2")
            ->info()
            .fallback_reason.starts_with("the GPU stopped answering before"));
}

TEST("if one of two identical GPUs was lost, the other is still used") {
  const FakeMachine machine(kCuda, "twins");
  machine.remember_self_tests();
  const hearth::gpu::Gpus gpus = hearth::gpu::find_gpus(kCuda);
  CHECK_EQUAL(gpus.candidates[0].model(), gpus.candidates[1].model());
  machine.record_of(gpus.candidates[0]).record_loss();
  CHECK_EQUAL(machine.load()->info().fallback_reason,
              "FFN gate and up of different types run on the CPU only");
}

TEST("if the named GPU is missing, the CPU is used, and the message lists the GPUs that exist") {
  const FakeMachine machine(kCuda, "");
  const std::string reason = machine.load("4090")->info().fallback_reason;
  CHECK(reason.starts_with(
      "no GPU here is called \"4090\": there is sm_90 NVIDIA Large (cuda, 8192"));
  CHECK(reason.find("gfx1100 Emulated GPU (hip, 8192 MiB") != std::string::npos);
}

TEST("if the library is missing or the CPU was requested, the CPU is used") {
  const FakeMachine machine("auto", "");
  test::set_variable("HEARTH_HIP_LIBRARY", "no-such-library.so");
  test::set_variable("HEARTH_CUDA_LIBRARY", "no-such-library.so");
  CHECK_EQUAL(machine.load()->info().fallback_reason,
              "no AMD GPU runtime: no-such-library.so is not installed; no NVIDIA driver: "
              "no-such-library.so is not installed");
  hearth::LoadOptions options;
  options.model_path = std::string(HEARTH_FIXTURES) + "/reference/tiny-mixed.gguf";
  options.backend = "cpu";
  CHECK_EQUAL(hearth::Engine::load(options, {})->info().fallback_reason, "");
}
#endif
