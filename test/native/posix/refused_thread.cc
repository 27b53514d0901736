#include "refused_thread.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>

// The C++ library calls this function instead of the C library's.
extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread,
                                                             const pthread_attr_t* attributes,
                                                             void* (*run)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return test::is_thread_refused() ? EAGAIN : create(thread, attributes, run, argument);
}
