// The mark, a file that a process leaves if it ends while a GPU works for it.
#include "system/mark.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gpu/test_record.h"
#include "system/files.h"
#include "system_help.h"
#include "temporary_folder.h"
#include "test.h"

using hearth::gpu::TestRecord;
using hearth::system::Mark, hearth::system::names_in;

namespace {

/// Runs `work` in another process, which then ends as if it had crashed.
void crash_after(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(1);
  }
  waitpid(child, nullptr, 0);
}

std::vector<std::string> marks_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const std::string& name : names_in(folder)) paths.push_back(folder + "/" + name);
  return paths;
}

}  // namespace

TEST("a process leaves a mark only if it ends while the mark is set") {
  const test::TemporaryFolder folder;
  const std::string prefix = folder.path.string() + "/mark-";
  crash_after([&] {
    (new Mark(prefix))->set(true);
    Mark* unset = new Mark(prefix);
    unset->set(true);
    unset->set(false);
    new Mark(prefix);
  });
  Mark of_this_one(prefix);
  of_this_one.set(true);
  int n_left = 0;
  for (const std::string& path : marks_in(folder.path.string())) n_left += Mark::was_left(path);
  CHECK_EQUAL(n_left, 1);
  // One mark was left, and one is this process's own.
  CHECK_EQUAL(marks_in(folder.path.string()).size(), size_t{2});
}

TEST("a mark is deleted with its object, and a mark that cannot be written causes no error") {
  const test::TemporaryFolder folder;
  { Mark(folder.path.string() + "/mark-").set(true); }
  Mark("/nowhere/mark-").set(true);
  CHECK(names_in(folder.path.string()).empty());
}

TEST("after two processes in a row ended while the GPU worked, the GPU is not used for a day") {
  const test::TemporaryFolder folder;
  test::set_variable(test::kCacheVariable, folder.path.string());
  const TestRecord record("a GPU", {}), other("another GPU", {});
  const auto own = record.work_mark();
  own->set(true);  // the mark of a process that still runs does not count
  const auto crash = [&] { crash_after([&] { record.work_mark().release()->set(true); }); };
  crash();
  record.require_no_repeated_crashes();
  crash();
  for (int i = 0; i < 2; i++)
    CHECK_THROWS(record.require_no_repeated_crashes(),
                 "Hearth has ended twice while the GPU had work");
  other.require_no_repeated_crashes();
  for (const std::string& path : marks_in(folder.path.string() + "/hearth"))
    if (Mark::was_left(path))
      std::filesystem::last_write_time(
          path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
  record.require_no_repeated_crashes();
  test::unset_variable(test::kCacheVariable);
}

TEST("a process whose GPU work ends normally deletes the marks of dead processes") {
  const test::TemporaryFolder folder;
  test::set_variable(test::kCacheVariable, folder.path.string());
  const TestRecord record("a GPU", {});
  const auto crash = [&] { crash_after([&] { record.work_mark().release()->set(true); }); };
  for (int i = 0; i < 3; i++) {
    crash();
    record.require_no_repeated_crashes();
    const auto in_order = record.work_mark();
    in_order->set(true);
    in_order->set(false);
  }
  CHECK(marks_in(folder.path.string() + "/hearth").empty());
  test::unset_variable(test::kCacheVariable);
}
