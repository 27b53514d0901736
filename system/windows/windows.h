// The system's header, and texts: Windows has UTF-16, all rooms have UTF-8.
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
/// Of a file as the headers that are for all systems keep it.
inline HANDLE handle_of(intptr_t file) { return reinterpret_cast<HANDLE>(file); }

}  // namespace hearth::system
