// Pinned prompts: the language server pins the prompt of each open document. The pages of a pinned
// prompt are not evicted. If a request finds no free page, the scheduler drops the oldest pin. Only
// the engine thread uses it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "page_cache.h"

namespace hearth {

class Pins {
 public:
  /// Pins a path in place of the id's previous one. An empty path only unpins.
  void set(uint64_t id, Path path) {
    std::erase_if(held_, [id](const auto& pin) { return pin.first == id; });
    if (path.length() > 0) held_.emplace_back(id, std::move(path));
  }
  /// Returns false if nothing is pinned.
  bool drop_oldest() {
    if (held_.empty()) return false;
    held_.erase(held_.begin());
    return true;
  }
  void clear() { held_.clear(); }

 private:
  std::vector<std::pair<uint64_t, Path>> held_;  // oldest first
};

}  // namespace hearth
