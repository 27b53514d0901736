// A model file that changes while it is read.
#include "mapped_file.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "test.h"

using hearth::MappedFile;

TEST("a program that cuts a mapped file short waits until it is no longer needed") {
  // In memory: not every file system of a container has leases.
  const std::string path = "/dev/shm/hearth-mapped-" + std::to_string(getpid());
  const std::string content(100'000, 'x');
  std::ofstream(path, std::ios::binary) << content;
  pid_t other = 0;
  {
    const MappedFile file(path);
    std::string shell = "sh", option = "-c", command = ": > " + path;
    char* arguments[] = {shell.data(), option.data(), command.data(), nullptr};
    CHECK_EQUAL(posix_spawnp(&other, "sh", nullptr, nullptr, arguments, environ), 0);
    // The first read of a page that is gone would end this process.
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
