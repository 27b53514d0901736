// Paths that are held for later requests: the anchors of open documents. Held pages are not
// evicted; when requests need them all the same, the pin that was set longest ago goes. Belongs to
// the engine thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "page_cache.h"

namespace hearth {

class Pins {
 public:
  /// In place of what the id held before; an empty path only lets that go.
  void set(uint64_t id, Path path) {
    std::erase_if(held_, [id](const auto& pin) { return pin.first == id; });
    if (path.length() > 0) held_.emplace_back(id, std::move(path));
  }
  /// False when there is none.
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
