// The addon finds Node-API in the program that has loaded it, whatever its name: VS Code is
// Code.exe. It is linked to load "node.exe" when a function of it is first called, and the linker's
// code for that asks this hook before.
#include "windows.h"

#include <delayimp.h>

#include <cstring>

namespace {

FARPROC WINAPI host_for_node(unsigned event, DelayLoadInfo* info) {
  if (event != dliNotePreLoadLibrary || _stricmp(info->szDll, "node.exe") != 0) return nullptr;
  HMODULE host = GetModuleHandleW(L"libnode.dll");
  if (!host) host = GetModuleHandleW(nullptr);
  return reinterpret_cast<FARPROC>(reinterpret_cast<void*>(host));
}

}  // namespace

// Only Visual Studio's header declares it const.
extern "C" decltype(__pfnDliNotifyHook2) __pfnDliNotifyHook2 = host_for_node;
