// Who is allowed to open a server's named pipe.
#include "system/pipes.h"

#include <windows.h>

#include <aclapi.h>

#include <string>
#include <vector>

#include "system_help.h"
#include "test.h"

using hearth::system::keep_others_out;

namespace {

const std::string kPipe = "\\\\.\\pipe\\hearth-test-" + std::to_string(test::process_id());

/// Makes an instance of the pipe as Node does.
HANDLE make_instance(DWORD flags) {
  constexpr DWORD kBytes = 65536;
  return CreateNamedPipeA(kPipe.c_str(),
                          PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | WRITE_DAC | flags,
                          PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT, PIPE_UNLIMITED_INSTANCES,
                          kBytes, kBytes, 0, nullptr);
}

struct Right {
  std::string sid;
  DWORD mask;
};

std::string text_of(PSID sid) {
  char text[256] = "";
  DWORD n_name = sizeof text;
  char domain[256];
  DWORD n_domain = sizeof domain;
  SID_NAME_USE use;
  LookupAccountSidA(nullptr, sid, text, &n_name, domain, &n_domain, &use);
  return text;
}

std::vector<Right> rights_of(HANDLE pipe) {
  ACL* list = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  CHECK_EQUAL(GetSecurityInfo(pipe, SE_KERNEL_OBJECT, DACL_SECURITY_INFORMATION, nullptr, nullptr,
                              &list, nullptr, &descriptor),
              DWORD{ERROR_SUCCESS});
  std::vector<Right> rights;
  for (DWORD i = 0; list && i < list->AceCount; i++) {
    void* entry = nullptr;
    CHECK(GetAce(list, i, &entry));
    auto* allowed = static_cast<ACCESS_ALLOWED_ACE*>(entry);
    rights.push_back({text_of(&allowed->SidStart), allowed->Mask});
  }
  LocalFree(descriptor);
  return rights;
}

}  // namespace

TEST("after keep_others_out(), only this user is allowed to open the pipe") {
  const HANDLE first = make_instance(FILE_FLAG_FIRST_PIPE_INSTANCE);
  CHECK(first != INVALID_HANDLE_VALUE);
  const std::vector<Right> before = rights_of(first);
  CHECK_EQUAL(keep_others_out(kPipe), "");
  const std::vector<Right> after = rights_of(first);
  char name[256];
  DWORD n_name = sizeof name;
  CHECK(GetUserNameA(name, &n_name));
  CHECK_EQUAL(after.size(), 1u);
  CHECK_EQUAL(after[0].sid, std::string(name));
  CHECK_EQUAL(after[0].mask, DWORD{FILE_ALL_ACCESS});
  CHECK(before.size() != 1 || before[0].sid != after[0].sid);  // others had rights before
  // The user can still make more instances, which have the same rights, and connect to them.
  const HANDLE second = make_instance(0);
  CHECK(second != INVALID_HANDLE_VALUE);
  CHECK_EQUAL(rights_of(second).size(), 1u);
  const HANDLE client = CreateFileA(kPipe.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr,
                                    OPEN_EXISTING, 0, nullptr);
  CHECK(client != INVALID_HANDLE_VALUE);
  for (const HANDLE each : {client, second, first}) CloseHandle(each);
}

TEST("a missing pipe does not count as safe") {
  CHECK(!keep_others_out("\\\\.\\pipe\\hearth-no-such-pipe").empty());
}
