/* Loaded in front of the C library: what is read or written in pieces of a page or more takes 20 ms
   a piece, as on a disk that is busy or far away. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

static void wait_for_disk(size_t n_bytes) {
  const struct timespec twenty_ms = {0, 20 * 1000 * 1000};
  if (n_bytes >= 4096) nanosleep(&twenty_ms, NULL);
}

size_t fwrite(const void* data, size_t size, size_t n, FILE* file) {
  size_t (*next)(const void*, size_t, size_t, FILE*) = dlsym(RTLD_NEXT, "fwrite");
  wait_for_disk(size * n);
  return next(data, size, n, file);
}

size_t fread(void* data, size_t size, size_t n, FILE* file) {
  size_t (*next)(void*, size_t, size_t, FILE*) = dlsym(RTLD_NEXT, "fread");
  wait_for_disk(size * n);
  return next(data, size, n, file);
}
