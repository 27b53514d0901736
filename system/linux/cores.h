// Which hardware threads share a core, as Linux lists them.
#pragma once

#include <cstdlib>

namespace hearth::system {

/// Whether this is the first of its core's threads that may be used. siblings: the threads of the
/// core in ascending order, as in "0,4" or "0-1"; "" if unknown.
inline bool is_first_of_core(int thread, const char* siblings, const auto& may_use) {
  while (true) {
    char* end = nullptr;
    const long first = std::strtol(siblings, &end, 10);
    if (end == siblings) return true;
    const long last = *end == '-' ? std::strtol(end + 1, &end, 10) : first;
    for (long other = first; other <= last && other < thread; other++)
      if (may_use(static_cast<int>(other))) return false;
    if (*end != ',') return true;
    siblings = end + 1;
  }
}

}  // namespace hearth::system
