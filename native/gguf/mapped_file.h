// A model file, mapped completely into memory for reading, with messages for people. system/files.h
// says how far each system keeps other programs from changing the file meanwhile.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "system/files.h"

namespace hearth {

class MappedFile {
 public:
  /// Throws EngineError "model-not-found", or "model-unreadable" for a folder or a refused read.
  explicit MappedFile(std::string path);

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return mapping_.bytes(); }
  /// Size and time of the last change, as of opening.
  const system::ReadFile::State& state() const { return state_; }
  /// Throws EngineError "model-unreadable" if a part cannot be read, or if another program has
  /// changed the file since it was opened: its bytes might now belong to another model.
  void require_unchanged() const;
  /// Releases the physical pages that lie wholly in the range. The bytes stay readable.
  void release(std::span<const std::byte> range) const { mapping_.forget(range); }

 private:
  std::string path_;
  system::ReadFile file_;
  system::ReadFile::State state_;
  system::Mapping mapping_;  // empty if the file is
};

}  // namespace hearth
