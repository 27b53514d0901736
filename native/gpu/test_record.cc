#include "test_record.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "system/files.h"
#include "system/libraries.h"
#include "system/mark.h"
#include "system/paths.h"

namespace hearth::gpu {
namespace {

/// FNV-1a.
uint64_t hash(std::span<const std::byte> bytes, uint64_t value) {
  for (const std::byte byte : bytes) value = (value ^ static_cast<uint64_t>(byte)) * 0x100000001b3;
  return value;
}

/// Of a mark that a process has left: something else than the GPU may have ended it.
constexpr std::chrono::hours kRemembered{24};

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

}  // namespace

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
void TestRecord::pass() const { write_empty(passed_); }
void TestRecord::lose() const { write_empty(lost_); }
std::unique_ptr<system::Mark> TestRecord::work_mark() const {
  if (work_.empty()) return nullptr;
  std::error_code ignored;
  std::filesystem::create_directories(system::path_of(work_).parent_path(), ignored);
  return std::make_unique<system::Mark>(work_ + "-");
}

void TestRecord::require_no_victim() const {
  if (work_.empty()) return;
  const std::filesystem::path own = system::path_of(work_);
  const std::string prefix = system::utf8_of(own.filename()) + "-";
  for (const std::string& name : system::names_in(system::utf8_of(own.parent_path()))) {
    const std::filesystem::path file = own.parent_path() / system::path_of(name);
    if (!name.starts_with(prefix) || !system::Mark::was_left(system::utf8_of(file))) continue;
    if (!is_old(file))
      throw std::runtime_error(
          "Hearth has ended while the GPU had work, as its driver may have caused; Hearth uses it "
          "again after a day, or update the driver, or delete " +
          system::utf8_of(file));
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
  }
}

void TestRecord::require_not_lost() const {
  if (is_there(lost_))
    throw std::runtime_error(
        "the GPU stopped answering before, with this driver; update the driver, or delete " +
        lost_ + " to try again");
}

}  // namespace hearth::gpu
