// Windows, in contrast, promises memory for all that is reserved, and refuses what it does not
// have.
#include <memory>
#include <vector>

#include "ops.h"
#include "test.h"

using namespace hearth::kernels;

TEST("a KV pool larger than the machine's memory costs nothing until it is written") {
  const std::unique_ptr<Ops> ops = make_cpu_ops({});
  ops->make_kv_pool({64, 64, 8, 128, 32768, 10000.0f}, 32768);  // 256 GiB
  std::vector<std::byte> page(ops->kv_page_bytes());
  CHECK_EQUAL(page.size(), size_t{8} << 20);
  ops->write_page(32767, page);
  ops->read_page(page, 0);
}
