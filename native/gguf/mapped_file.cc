#include "mapped_file.h"

#include <utility>

#include "common/error.h"

namespace hearth {
namespace {

using system::FileError;
using system::ReadFile;

[[noreturn]] void refuse(const std::string& path, const FileError& error) {
  if (error.reason == FileError::Reason::kMissing) {
    throw EngineError("model-not-found",
                      "There is no model file at " + path + ". Check the path, or choose another.");
  }
  const bool is_forbidden = error.reason == FileError::Reason::kForbidden;
  throw EngineError(
      "model-unreadable",
      "The model file " + path + " cannot be read (" + error.what() + "). " +
          (is_forbidden ? "Give yourself the right to read it." : "Check the disk and the file."));
}

auto or_refuse(const std::string& path, const auto& action) {
  try {
    return action();
  } catch (const FileError& error) {
    refuse(path, error);
  }
}

}  // namespace

MappedFile::MappedFile(std::string path)
    : path_(std::move(path)), file_(or_refuse(path_, [&] { return ReadFile(path_); })) {
  if (file_.kind() != ReadFile::Kind::kOrdinary) {
    const bool is_folder = file_.kind() == ReadFile::Kind::kFolder;
    throw EngineError("model-unreadable",
                      path_ + (is_folder ? " is a folder" : " is not an ordinary file") +
                          ". Choose a .gguf file.");
  }
  state_ = or_refuse(path_, [&] { return file_.state(); });
  if (state_.n_bytes == 0) return;  // nothing to map
  mapping_ = or_refuse(path_, [&] { return system::Mapping(file_, state_.n_bytes); });
}

void MappedFile::require_unchanged() const {
  if (or_refuse(path_, [&] { return file_.state(); }) != state_)
    throw EngineError("model-unreadable", "The model file " + path_ +
                                              " was changed by another program while it was read. "
                                              "Load it again when that is done.");
  if (mapping_.is_damaged())
    throw EngineError("model-unreadable", "A part of the model file " + path_ +
                                              " cannot be read. Check the disk and the file.");
}

}  // namespace hearth
