// Every way in which a GPU can fail to be of use: the model is loaded on the CPU, and the reason is
// told in words. The GPU is the emulated one behind a fake libamdhip64.
#ifdef HEARTH_FAKE_HIP
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "ask.h"
#include "test.h"

namespace {

namespace fs = std::filesystem;

/// A machine with the fake GPU, code objects for gfx1100, and nothing in its cache folder.
class FakeMachine {
 public:
  explicit FakeMachine(const std::string& fault) {
    fs::create_directories(folder_ / "kernels");
    std::ofstream(folder_ / "kernels/gfx1100.co") << "code";
    setenv("HEARTH_HIP_LIBRARY", HEARTH_FAKE_HIP, 1);
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    set_fault(fault);
  }
  ~FakeMachine() {
    for (const char* name : {"HEARTH_HIP_LIBRARY", "XDG_CACHE_HOME", "HEARTH_FAKE_GPU"})
      unsetenv(name);
    fs::remove_all(folder_);
  }
  void set_fault(const std::string& fault) { setenv("HEARTH_FAKE_GPU", fault.c_str(), 1); }

  std::unique_ptr<hearth::Engine> load() const {
    hearth::LoadOptions options;
    options.model_path = std::string(HEARTH_FIXTURES) + "/reference/tiny-mixed.gguf";
    options.backend = "auto";
    options.gpu_kernels = folder_ / "kernels";
    options.n_threads = 1;
    options.cache_bytes = size_t{80} << 20;
    return hearth::Engine::load(options, {});
  }

 private:
  const fs::path folder_ = fs::temp_directory_path() / ("hearth-gpu-" + std::to_string(getpid()));
};

std::vector<uint32_t> answer(hearth::Engine& engine) {
  hearth::Request request;
  request.tokens = {5, 6, 7, 8};
  request.max_tokens = 4;
  return test::ask(engine, std::move(request)).tokens;
}

/// The fault's reason, and an answer from the CPU all the same.
void check_runs_on_cpu(const std::string& fault, const std::string& reason) {
  const FakeMachine machine(fault);
  const auto engine = machine.load();
  CHECK_EQUAL(engine->info().why_cpu, reason);
  CHECK(engine->info().backend.starts_with("cpu "));
  CHECK(answer(*engine) == answer(*test::load_tiny(1, 0)));
}

}  // namespace

TEST("a runtime without a GPU, or with one of no known architecture, leaves the CPU") {
  check_runs_on_cpu("none", "no AMD GPU: AMD's runtime finds none (hipErrorNoDevice)");
  check_runs_on_cpu("unknown", "Hearth has no GPU kernels for gfx803 (Emulated GPU)");
}

TEST("too little memory of the GPU, before loading or while it goes on, leaves the CPU") {
  const FakeMachine machine("small");
  CHECK(machine.load()->info().why_cpu.starts_with(
      "GPU gfx1100 Emulated GPU: the model and its cache need "));
  check_runs_on_cpu("full",
                    "GPU gfx1100 Emulated GPU: the KV cache needs 80 MiB but only 6400 MiB of 8192 "
                    "MiB are free; choose a smaller model");
}

TEST("a failed self-test leaves the CPU") {
  check_runs_on_cpu("wrong:attention_64",
                    "the GPU fails its self-test: attention with heads of 64 comes out wrong; "
                    "update the GPU driver");
}

TEST("a model that the kernels cannot take leaves the CPU, after a self-test that is remembered") {
  const char* reason = "FFN gate and up of different types run on the CPU only";
  FakeMachine machine("");
  CHECK_EQUAL(machine.load()->info().why_cpu, reason);
  machine.set_fault("wrong:attention_64");
  CHECK_EQUAL(machine.load()->info().why_cpu, reason);
}

TEST("a library that is none leaves the CPU, and so does the wish") {
  const FakeMachine machine("");
  setenv("HEARTH_HIP_LIBRARY", "no-such-library.so", 1);
  CHECK_EQUAL(machine.load()->info().why_cpu, "no AMD GPU runtime: libamdhip64 is not installed");
  hearth::LoadOptions options;
  options.model_path = std::string(HEARTH_FIXTURES) + "/reference/tiny-mixed.gguf";
  options.backend = "cpu";
  CHECK_EQUAL(hearth::Engine::load(options, {})->info().why_cpu, "");
}
#endif
