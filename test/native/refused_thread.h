// Lets the start of a thread fail, in a program that has one definition of this function.
#pragma once

namespace test {

/// Asked whenever the C++ library starts a thread.
bool is_thread_refused();

}  // namespace test
