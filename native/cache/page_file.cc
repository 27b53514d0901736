// Records are read and written through one buffer of record size. Every number in a file is checked
// before it is used, because the file might be damaged, or not be ours.
#include "page_file.h"

#include <array>
#include <bit>
#include <cstring>

#include "system/files.h"

namespace hearth {
namespace {

constexpr uint64_t kMagic = 0x31'56'4B'68'74'72'61'65;  // "earthKV1"

// See the drawing in page_file.h. The checksum covers the five numbers before it.
using Header = std::array<uint64_t, 6>;
static_assert(sizeof(Header) == kPageFileHeaderBytes);

Header header_of(const PageShape& shape, uint64_t n_records) {
  Header header{kMagic, shape.identity, shape.page_tokens, shape.page_bytes, n_records, 0};
  header.back() = checksum(std::as_bytes(std::span(header).first(5)), 0);
  return header;
}

// Offsets in a record. The checksum is seeded with the index of the record, so that a record at the
// wrong place counts as damaged.
constexpr size_t kTokensAt = 2 * sizeof(uint32_t);
size_t kv_at(const PageShape& shape) { return kTokensAt + shape.page_tokens * sizeof(uint32_t); }
size_t sum_at(const PageShape& shape) { return kv_at(shape) + shape.page_bytes; }

}  // namespace

uint64_t checksum(std::span<const std::byte> bytes, uint64_t seed) {
  // Odd multipliers with well spread bits: 2^64 / golden ratio, and one of Steele and Vigna's.
  constexpr uint64_t kIn = 0x9E3779B97F4A7C15, kOut = 0xD1342543DE82EF95;
  uint64_t sum = seed ^ bytes.size();
  const auto add = [&](uint64_t word) { sum = std::rotl(sum ^ (word * kIn), 29) * kOut; };
  size_t i = 0;
  for (; i + sizeof(uint64_t) <= bytes.size(); i += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, &bytes[i], sizeof word);
    add(word);
  }
  uint64_t rest = 0;
  if (i < bytes.size()) std::memcpy(&rest, &bytes[i], bytes.size() - i);
  add(rest);
  return sum ^ (sum >> 32);
}

size_t PageShape::record_bytes() const { return sum_at(*this) + sizeof(uint64_t); }

PageFileReader::PageFileReader(std::FILE* file, const PageShape& shape)
    : shape_(shape), file_(file), buffer_(shape.record_bytes()) {}

std::unique_ptr<PageFileReader> PageFileReader::open(const std::string& path,
                                                     const PageShape& shape) {
  std::FILE* file = system::open_own(path);
  if (!file) return nullptr;
  std::unique_ptr<PageFileReader> reader(new PageFileReader(file, shape));
  reader->read_header();
  return reader;
}

void PageFileReader::read_header() {
  Header header;
  if (std::fread(header.data(), sizeof header, 1, file_.get()) != 1) return;
  const uint64_t n_records = header[4];
  is_sound_ = n_records < PageRecord::kNoParent && header == header_of(shape_, n_records);
  if (is_sound_) n_records_ = static_cast<uint32_t>(n_records);
}

PageFileReader::Read PageFileReader::next(PageRecord& record) {
  if (n_read_ == n_records_) return Read::kEnd;
  if (std::fread(buffer_.data(), buffer_.size(), 1, file_.get()) != 1) return Read::kEnd;
  const uint32_t index = n_read_++;
  const std::span<const std::byte> bytes(buffer_);
  uint64_t sum;
  std::memcpy(&sum, &bytes[sum_at(shape_)], sizeof sum);
  if (sum != checksum(bytes.first(sum_at(shape_)), index)) return Read::kDamaged;
  std::array<uint32_t, 2> head;
  std::memcpy(head.data(), bytes.data(), sizeof head);
  const auto [parent, n_tokens] = head;
  const bool is_sound = (parent == PageRecord::kNoParent || parent < index) && n_tokens > 0 &&
                        n_tokens <= shape_.page_tokens;
  if (!is_sound) return Read::kDamaged;
  // The buffer is aligned for any type, and the tokens begin at a multiple of four.
  const auto* tokens = reinterpret_cast<const uint32_t*>(&bytes[kTokensAt]);
  record = {parent, {tokens, n_tokens}, bytes.subspan(kv_at(shape_), shape_.page_bytes)};
  return Read::kRecord;
}

bool PageFileWriter::create(const std::string& path, const PageShape& shape, uint32_t n_records) {
  shape_ = shape;
  buffer_.assign(shape.record_bytes(), std::byte{0});
  file_.reset(system::create_private(path));
  if (!file_) return false;
  const Header header = header_of(shape, n_records);
  return std::fwrite(header.data(), sizeof header, 1, file_.get()) == 1;
}

std::span<std::byte> PageFileWriter::kv() {
  return std::span(buffer_).subspan(kv_at(shape_), shape_.page_bytes);
}

bool PageFileWriter::write(uint32_t parent, std::span<const uint32_t> tokens) {
  const std::array<uint32_t, 2> head{parent, static_cast<uint32_t>(tokens.size())};
  std::memcpy(buffer_.data(), head.data(), sizeof head);
  std::memcpy(&buffer_[kTokensAt], tokens.data(), tokens.size_bytes());
  const uint64_t sum = checksum(std::span(buffer_).first(sum_at(shape_)), n_written_++);
  std::memcpy(&buffer_[sum_at(shape_)], &sum, sizeof sum);
  return std::fwrite(buffer_.data(), buffer_.size(), 1, file_.get()) == 1;
}

bool PageFileWriter::close() { return std::fclose(file_.release()) == 0; }

}  // namespace hearth
