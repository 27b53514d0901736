// A test program that defines this function can make thread starts fail.
#pragma once

namespace test {

/// Called whenever the C++ library starts a thread. If it returns true, the start fails.
bool is_thread_refused();

}  // namespace test
