// Runs the registered tests, or only those whose name contains the argument. "--share 1/2" runs
// every second test beginning with number 1 (counted from 0), so that processes can share the work.
// A test that takes a second or more is printed with its duration.
#include <chrono>
#include <cstring>

#include "test.h"

int main(int argc, char** argv) {
  int first = 0, step = 1;
  const bool is_share = argc == 3 && std::strcmp(argv[1], "--share") == 0;
  if (is_share && (std::sscanf(argv[2], "%d/%d", &first, &step) != 2 || first < 0 || step < 1)) {
    std::fprintf(stderr, "--share %s: what was expected is like 0/2\n", argv[2]);
    return 2;
  }
  int passed = 0, failed = 0;
  for (size_t i = first; i < test::cases().size(); i += step) {
    const test::Case& c = test::cases()[i];
    if (!is_share && argc > 1 && c.name.find(argv[1]) == std::string::npos) continue;
    const auto start = std::chrono::steady_clock::now();
    try {
      c.run();
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      std::printf("ok %s", c.name.c_str());
      if (taken.count() >= 1) std::printf(" (%.1f s)", taken.count());
      std::printf("\n");
      passed++;
    } catch (const test::NotRun& e) {
      std::printf("not run: %s: %s\n", c.name.c_str(), e.what());
    } catch (const std::exception& e) {
      std::printf("FAIL %s\n  %s\n", c.name.c_str(), e.what());
      failed++;
    }
    std::fflush(stdout);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}
