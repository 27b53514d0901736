#include "common/utf8.h"

#include "test.h"

using hearth::one_line;
using hearth::whole_characters;

TEST("a character is held back until it is complete") {
  CHECK_EQUAL(whole_characters(""), 0u);
  CHECK_EQUAL(whole_characters("abc"), 3u);
  CHECK_EQUAL(whole_characters("a\xC3"), 1u);
  CHECK_EQUAL(whole_characters("a\xC3\xA9"), 3u);
  CHECK_EQUAL(whole_characters("\xED\x9F"), 0u);
  CHECK_EQUAL(whole_characters("\xE0"), 0u);
  CHECK_EQUAL(whole_characters("x\xF0\x9F\x99"), 1u);
  CHECK_EQUAL(whole_characters("x\xF0\x9F\x99\x82"), 5u);
  CHECK_EQUAL(whole_characters("\xF4\x8F"), 0u);
}

TEST("bytes that can never become a character are not held back") {
  for (const char* bytes : {"\xF8\x88", "\xFF", "\xC0", "\xC1\x80", "\xF5\x80\x80"})
    CHECK_EQUAL(whole_characters(bytes), std::string_view(bytes).size());
  // The beginnings of an overlong form, of half a surrogate pair, and of a code point that is too
  // large.
  for (const char* bytes : {"\xE0\x80", "\xED\xA0", "\xF0\x80\x80", "\xF4\x90"})
    CHECK_EQUAL(whole_characters(bytes), std::string_view(bytes).size());
  CHECK_EQUAL(whole_characters("\x80\x80\x80"), 3u);
}

TEST("text from other programs becomes one line of visible characters") {
  CHECK_EQUAL(one_line("GPU\n[error] \x1b[2J\xe2\x80\xaex\xc2\x85y\0z", 100),
              "GPU [error]  [2J x y");
  CHECK_EQUAL(one_line("a\xff"
                       "b \xe2\x84\xa2",
                       100),
              "a\xef\xbf\xbd"
              "b \xe2\x84\xa2");
  CHECK_EQUAL(one_line(std::string(1000, 'a'), 100).size(), 100u);
  CHECK(one_line(std::string(100, '\xff'), 100).size() <= 100u);
}
