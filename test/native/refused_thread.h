// Makes the start of a thread fail, in a program that defines this function once.
#pragma once

namespace test {

/// Called whenever the C++ library starts a thread.
bool is_thread_refused();

}  // namespace test
