// A model file that changes while it is being read.
#include "gguf/mapped_file.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <thread>

#include "ask.h"
#include "temporary_folder.h"
#include "test.h"

using hearth::MappedFile;

TEST("a program that truncates a mapped file has to wait until we no longer need the file") {
  // The file is in memory, because not every container's file system has leases.
  const std::string path = "/dev/shm/hearth-mapped-" + std::to_string(getpid());
  const std::string content(100'000, 'x');
  std::ofstream(path, std::ios::binary) << content;
  pid_t other = 0;
  {
    const MappedFile file(path);
    std::string shell = "sh", option = "-c", command = ": > " + path;
    char* arguments[] = {shell.data(), option.data(), command.data(), nullptr};
    CHECK_EQUAL(posix_spawnp(&other, "sh", nullptr, nullptr, arguments, environ), 0);
    // The other process must not end yet: reading a truncated page would end this process.
    for (int i = 0; i < 10; i++) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      CHECK_EQUAL(waitpid(other, nullptr, WNOHANG), 0);
    }
    const auto* bytes = reinterpret_cast<const char*>(file.bytes().data());
    CHECK(std::string_view(bytes, file.bytes().size()) == content);
  }
  int status = -1;
  CHECK_EQUAL(waitpid(other, &status, 0), other);
  CHECK_EQUAL(status, 0);
  CHECK_EQUAL(MappedFile(path).bytes().size(), 0u);
  unlink(path.c_str());
}

namespace {

/// Loads a model while another program changes it. The program opened the file earlier, so no lease
/// stops it. It calls change() once the first tensor has been read.
void check_change(void (*change)(int fd)) {
  const test::TemporaryFolder folder;
  hearth::LoadOptions options = test::tiny_options();
  std::filesystem::copy_file(options.model_path, folder.file("model.gguf"));
  options.model_path = folder.file("model.gguf");
  const int fd = open(options.model_path.c_str(), O_RDWR | O_CLOEXEC);
  bool is_changed = false;
  const auto on_progress = [&](double) {
    if (!std::exchange(is_changed, true)) change(fd);
    return true;
  };
  try {
    hearth::Engine::load(options, on_progress);
    CHECK(false);
  } catch (const hearth::EngineError& error) {
    CHECK_EQUAL(error.code, "model-unreadable");
    CHECK(std::string(error.what()).find("changed by another program") != std::string::npos);
  }
  close(fd);
}

}  // namespace

TEST("truncating a model while it is loaded is an error") {
  check_change([](int fd) { CHECK_EQUAL(ftruncate(fd, 100'000), 0); });
}

TEST("a mapped file that is truncated anyway reads as zeros and is reported as changed") {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("model.gguf", std::string(1 << 20, 'x'));
  // Since a writer has the file open, MappedFile gets no lease.
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  const MappedFile file(path);
  CHECK_EQUAL(ftruncate(fd, 100'000), 0);
  CHECK(file.bytes()[99'999] == std::byte{'x'});
  CHECK(file.bytes()[500'000] == std::byte{0});
  CHECK(file.bytes().back() == std::byte{0});
  CHECK(file.bytes()[99'999] == std::byte{'x'});
  CHECK_THROWS(file.require_unchanged(), "changed by another program");
  close(fd);
}

TEST("overwriting a model while it is loaded is an error") {
  check_change([](int fd) {
    const std::array<char, 64> zeros{};
    CHECK_EQUAL(pwrite(fd, zeros.data(), zeros.size(), 2'000'000), 64);
  });
}
