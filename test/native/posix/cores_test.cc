#include "system/linux/cores.h"

#include <set>
#include <vector>

#include "test.h"

namespace {

/// Returns the number of cores of the usable hardware threads. siblings[i] lists the threads that
/// share a core with thread i, as Linux does.
int count_cores(const std::set<int>& usable, const std::vector<const char*>& siblings) {
  int n = 0;
  for (int thread : usable)
    n += hearth::system::is_first_of_core(thread, siblings[static_cast<size_t>(thread)],
                                          [&](int other) { return usable.contains(other); });
  return n;
}

}  // namespace

TEST("a core counts once, whichever of its hardware threads a container may use") {
  const std::vector<const char*> far{"0,2", "1,3", "0,2", "1,3"};
  CHECK_EQUAL(count_cores({0, 1, 2, 3}, far), 2);
  CHECK_EQUAL(count_cores({0, 2}, far), 1);
  CHECK_EQUAL(count_cores({2, 3}, far), 2);
  CHECK_EQUAL(count_cores({0, 3}, far), 2);  // one core's first thread and the other's second
  const std::vector<const char*> near{"0-1", "0-1", "2-3", "2-3", "4", ""};
  CHECK_EQUAL(count_cores({0, 1, 2, 3, 4, 5}, near), 4);
  CHECK_EQUAL(count_cores({1, 2}, near), 2);
  const std::vector<const char*> four{"0-3",   "0-3", "0-3", "0-3",  "4-5,8",
                                      "4-5,8", "",    "",    "4-5,8"};
  CHECK_EQUAL(count_cores({2, 3, 8}, four), 2);
  CHECK_EQUAL(count_cores({5, 8}, four), 1);
}
