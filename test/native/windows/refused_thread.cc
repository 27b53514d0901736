// With -Wl,--wrap=pthread_create, the C++ library calls __wrap_pthread_create() instead of
// pthread_create(). The original function is then called __real_pthread_create().
#include "refused_thread.h"

#include <pthread.h>

#include <cerrno>

extern "C" int __real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                     void* (*run)(void*), void* argument);

extern "C" int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                     void* (*run)(void*), void* argument) {
  if (test::is_thread_refused()) return EAGAIN;
  return __real_pthread_create(thread, attributes, run, argument);
}
