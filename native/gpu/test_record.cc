#include "test_record.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "system/files.h"
#include "system/libraries.h"
#include "system/paths.h"

namespace hearth::gpu {
namespace {

/// FNV-1a.
uint64_t hash(std::span<const std::byte> bytes, uint64_t value) {
  for (const std::byte byte : bytes) value = (value ^ static_cast<uint64_t>(byte)) * 0x100000001b3;
  return value;
}

/// For how long the mark of a dead process counts. A single mark does not count, since something
/// other than the GPU might have killed the process.
constexpr std::chrono::hours kRemembered{24};
constexpr size_t kCrashesToReject = 2;

bool is_old(const std::filesystem::path& path) {
  std::error_code error;
  const auto changed = std::filesystem::last_write_time(path, error);
  return error || std::filesystem::file_time_type::clock::now() - changed > kRemembered;
}

bool is_there(const std::string& path) {
  std::error_code none;
  return !path.empty() && std::filesystem::exists(system::path_of(path), none);
}

void write_empty(const std::string& file) {
  if (file.empty()) return;
  const std::filesystem::path path = system::path_of(file);
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  std::ofstream(path).flush();
}

/// The marks that processes have left. Their paths begin with `file`.
std::vector<std::filesystem::path> marks_left(const std::string& file) {
  const std::filesystem::path own = system::path_of(file);
  const std::string prefix = system::utf8_of(own.filename()) + "-";
  std::vector<std::filesystem::path> marks;
  for (const std::string& name : system::names_in(system::utf8_of(own.parent_path()))) {
    const std::filesystem::path mark = own.parent_path() / system::path_of(name);
    if (name.starts_with(prefix) && system::Mark::was_left(system::utf8_of(mark)))
      marks.push_back(mark);
  }
  return marks;
}

void remove_file(const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

}  // namespace

WorkMark::WorkMark(std::string file) : file_(std::move(file)), mark_(file_ + "-") {}

WorkMark::~WorkMark() {
  if (is_set_) return;
  for (const std::filesystem::path& mark : marks_left(file_)) remove_file(mark);
}

void WorkMark::set(bool is_set) {
  is_set_ = is_set;
  mark_.set(is_set);
}

std::string record_file(const std::string& kind, const std::string& about,
                        std::span<const std::byte> code_object) {
  const std::string folder = system::cache_folder();
  if (folder.empty()) return "";
  const std::string names = about + system::this_build();
  const uint64_t key = hash(code_object, hash(std::as_bytes(std::span(names)), 0xcbf29ce484222325));
  char name[24];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(key));
  return system::utf8_of(system::path_of(folder) / "hearth" / (kind + "-" + name));
}

TestRecord::TestRecord(const std::string& machine, std::span<const std::byte> code_object)
    : passed_(record_file("gpu-test", machine, code_object)),
      lost_(record_file("gpu-lost", machine, code_object)),
      work_(record_file("gpu-work", machine, code_object)) {}

bool TestRecord::has_passed() const { return is_there(passed_); }
void TestRecord::record_pass() const { write_empty(passed_); }
void TestRecord::record_loss() const { write_empty(lost_); }
std::unique_ptr<WorkMark> TestRecord::work_mark() const {
  if (work_.empty()) return nullptr;
  std::error_code ignored;
  std::filesystem::create_directories(system::path_of(work_).parent_path(), ignored);
  return std::make_unique<WorkMark>(work_);
}

void TestRecord::require_no_repeated_crashes() const {
  if (work_.empty()) return;
  std::vector<std::filesystem::path> marks = marks_left(work_);
  std::erase_if(marks, [](const std::filesystem::path& mark) {
    const bool is_forgotten = is_old(mark);
    if (is_forgotten) remove_file(mark);
    return is_forgotten;
  });
  if (marks.size() >= kCrashesToReject)
    throw std::runtime_error(
        "Hearth has ended twice while the GPU had work, as its driver may have caused; Hearth uses "
        "it again after a day, or update the driver, or delete " +
        system::utf8_of(marks.front()));
}

void TestRecord::require_not_lost() const {
  if (is_there(lost_))
    throw std::runtime_error(
        "the GPU stopped answering before, with this driver; update the driver, or delete " +
        lost_ + " to try again");
}

}  // namespace hearth::gpu
