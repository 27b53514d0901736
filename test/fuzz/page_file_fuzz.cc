// Loads any bytes as a file of pages, and any records with correct checksums. A page in the cache
// must come from a record with exactly its tokens, and saving the cache again must lose nothing.
#include "cache/page_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "cache/page_cache.h"
#include "cache/page_store.h"
#include "stored_pages_ops.h"

namespace fs = std::filesystem;
using hearth::PageCache;
using hearth::PageRecord;

namespace {

using Tokens = std::vector<uint32_t>;
using Bytes = std::vector<std::byte>;

constexpr uint64_t kIdentity = 0x1234;
constexpr int kPages = 12;
constexpr uint32_t kPageTokens = hearth::kernels::kPageTokens;
const hearth::PageShape kShape{kIdentity, kPageTokens, fuzz::StoredPagesOps::kPageBytes};

/// The only file of pages in its folder.
struct Folder {
  Folder() {
    std::string pattern = "/dev/shm/hearth-fuzz-XXXXXX";
    EXPECT(mkdtemp(pattern.data()));
    path = pattern;
  }
  ~Folder() { fs::remove_all(path); }
  fs::path file() const { return path / "0000000000001234-0000000000000001.pages"; }
  void clear() const {
    for (const auto& entry : fs::directory_iterator(path)) fs::remove(entry.path());
  }
  fs::path path;
};

/// The content of valid records: for each prefix of whole pages, the last page.
using Said = std::map<Tokens, std::vector<Bytes>>;

/// Writes the records that the input describes in four bytes each. Returns their expected content.
Said write_records(fuzz::Input input, const fs::path& path) {
  Said said;
  std::vector<Tokens> prefixes;  // by record; empty if no record may follow
  const auto n_records = static_cast<uint32_t>(input.byte());
  hearth::PageFileWriter writer;
  EXPECT(writer.create(path.string(), kShape, n_records));
  for (uint32_t i = 0; i < n_records && !input.is_empty(); i++) {
    const uint8_t parent = input.byte(), n_tokens = input.byte() % (kPageTokens + 1);
    const uint8_t first = input.byte(), content = input.byte();
    Tokens tokens;
    tokens.reserve(kPageTokens);  // the writer accepts no null pointer
    for (uint32_t k = 0; k < n_tokens; k++) tokens.push_back(first + k / 7);
    const bool is_first = parent >= 0xF0;
    Bytes kv(fuzz::StoredPagesOps::kPageBytes, std::byte{content});
    std::ranges::copy(kv, writer.kv().begin());
    EXPECT(writer.write(is_first ? PageRecord::kNoParent : parent, tokens));
    const bool is_sound = n_tokens > 0 && (is_first || (parent < i && !prefixes[parent].empty()));
    prefixes.emplace_back();
    if (!is_sound) continue;
    Tokens whole = is_first ? Tokens() : prefixes[parent];
    whole.insert(whole.end(), tokens.begin(), tokens.end());
    said[whole].push_back(std::move(kv));
    if (n_tokens == kPageTokens) prefixes.back() = std::move(whole);
  }
  EXPECT(writer.close());
  return said;
}

/// Writes any bytes, after a valid header if has_head is set.
void write_raw(fuzz::Input input, bool has_head, const fs::path& path) {
  if (has_head) {
    hearth::PageFileWriter writer;
    EXPECT(writer.create(path.string(), kShape, input.byte()) && writer.close());
  }
  std::ofstream(path, std::ios::binary | std::ios::app) << input.rest();
}

/// A cache and the bytes of its pages.
struct Restored {
  explicit Restored(const fs::path& folder)
      : cache(kPages, kPageTokens, [](int, int, int) {}),
        store(folder.string(), 1 << 20, {kIdentity}, ops) {
    result = store.restore(cache);
  }

  /// For each prefix of whole pages, the last page.
  std::map<Tokens, Bytes> content() const {
    std::map<Tokens, Bytes> content;
    std::map<int32_t, Tokens> prefixes;
    for (const hearth::CachedPage& page : cache.pages()) {
      Tokens whole = page.parent == PageCache::kNone ? Tokens() : prefixes.at(page.parent);
      whole.insert(whole.end(), page.tokens.begin(), page.tokens.end());
      content[whole] = ops.pages.at(page.page);
      prefixes[page.page] = std::move(whole);
    }
    return content;
  }

  fuzz::StoredPagesOps ops;
  PageCache cache;
  hearth::PageStore store;
  hearth::PageStore::Restored result;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t n) {
  static const Folder folder;
  folder.clear();
  fuzz::Input input(data, std::min<size_t>(n, 4096));
  const int form = input.below(3);
  const bool is_raw = form > 0;
  Said said;
  if (is_raw)
    write_raw(input, form == 1, folder.file());
  else
    said = write_records(input, folder.file());

  Restored first(folder.path);
  const auto content = first.content();
  EXPECT(first.cache.statistics().pages_held == 0);
  EXPECT(first.result.n_pages >= static_cast<int>(content.size()));
  for (const auto& [tokens, kv] : content) {
    if (is_raw) continue;
    EXPECT(said.contains(tokens));
    EXPECT(std::ranges::find(said.at(tokens), kv) != said.at(tokens).end());
  }
  first.store.save(first.cache);
  EXPECT(Restored(folder.path).content() == content);
  return 0;
}
