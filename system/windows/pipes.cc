#include "system/pipes.h"

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "windows.h"

namespace hearth::system {
namespace {

struct CloseHandleOf {
  using pointer = HANDLE;
  void operator()(HANDLE handle) const { CloseHandle(handle); }
};
using Handle = std::unique_ptr<HANDLE, CloseHandleOf>;

/// The user of this process, in the caller's buffer; nullptr if unknown.
PSID this_user(std::span<std::byte> buffer) {
  HANDLE token = nullptr;
  if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return nullptr;
  const Handle closed(token);
  DWORD n_bytes = static_cast<DWORD>(buffer.size());
  if (!GetTokenInformation(token, TokenUser, buffer.data(), n_bytes, &n_bytes)) return nullptr;
  return reinterpret_cast<TOKEN_USER*>(buffer.data())->User.Sid;
}

}  // namespace

// All instances of a pipe share one access control list, so it can be changed through a client's
// end. The owner may always change it.
std::string keep_others_out(const std::string& pipe) {
  const auto problem = [] { return explanation(GetLastError()); };
  const HANDLE end =
      CreateFileW(wide(pipe).c_str(), READ_CONTROL | WRITE_DAC, 0, nullptr, OPEN_EXISTING,
                  SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION, nullptr);
  if (end == INVALID_HANDLE_VALUE) return problem();
  const Handle closed(end);
  alignas(TOKEN_USER) std::array<std::byte, sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE> buffer;
  const PSID user = this_user(buffer);
  alignas(ACL) std::array<std::byte, 256> list_bytes;
  const auto list = reinterpret_cast<ACL*>(list_bytes.data());
  SECURITY_DESCRIPTOR rights;
  const bool is_done = user && InitializeAcl(list, sizeof list_bytes, ACL_REVISION) &&
                       AddAccessAllowedAce(list, ACL_REVISION, FILE_ALL_ACCESS, user) &&
                       InitializeSecurityDescriptor(&rights, SECURITY_DESCRIPTOR_REVISION) &&
                       SetSecurityDescriptorDacl(&rights, TRUE, list, FALSE) &&
                       SetKernelObjectSecurity(end, DACL_SECURITY_INFORMATION, &rights);
  return is_done ? "" : problem();
}

}  // namespace hearth::system
