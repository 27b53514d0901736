#include "windows.h"

namespace hearth::system {

std::wstring wide(std::string_view utf8) {
  const int n_bytes = static_cast<int>(utf8.size());
  const int n = MultiByteToWideChar(CP_UTF8, 0, utf8.data(), n_bytes, nullptr, 0);
  std::wstring text(static_cast<size_t>(n), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, utf8.data(), n_bytes, text.data(), n);
  return text;
}

std::string narrow(std::wstring_view text) {
  const int n_units = static_cast<int>(text.size());
  const int n = WideCharToMultiByte(CP_UTF8, 0, text.data(), n_units, nullptr, 0, nullptr, nullptr);
  std::string utf8(static_cast<size_t>(n), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), n_units, utf8.data(), n, nullptr, nullptr);
  return utf8;
}

std::string explanation(DWORD error) {
  wchar_t text[256];
  const DWORD n = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS,
                                 nullptr, error, 0, text, 256, nullptr);
  std::wstring_view sentence(text, n);
  while (!sentence.empty() && std::wstring_view(L"\r\n. ").find(sentence.back()) != sentence.npos)
    sentence.remove_suffix(1);
  return sentence.empty() ? "error " + std::to_string(error) : narrow(sentence);
}

}  // namespace hearth::system
