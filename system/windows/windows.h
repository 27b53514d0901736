// The system's header, and the conversion of texts: Windows uses UTF-16, all rooms use UTF-8.
#pragma once

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00  // Windows 10
#endif
#include <windows.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace hearth::system {

/// Bytes that are not UTF-8 become U+FFFD.
std::wstring wide(std::string_view utf8);
std::string narrow(std::wstring_view text);
/// The system's sentence for an error number, without its period.
std::string explanation(DWORD error);
/// Turns a file as the headers for all systems store it into a handle.
inline HANDLE handle_of(intptr_t file) { return reinterpret_cast<HANDLE>(file); }

}  // namespace hearth::system
