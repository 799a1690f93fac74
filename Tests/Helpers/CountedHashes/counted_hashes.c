#define _GNU_SOURCE
#include "counted_hashes.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

const unsigned char counted_hashes_mark[16] = "\x9d\x13 counted \xe2\x07\xb1";

static atomic_uint_least64_t bytes;

uint64_t counted_hashes_bytes(void) {
  return atomic_load(&bytes);
}

static void count(const void *data, size_t length) {
  size_t searched = length < 64 ? length : 64;
  if (data && memmem(data, searched, counted_hashes_mark, sizeof counted_hashes_mark))
    atomic_fetch_add(&bytes, length);
}

/* The function of the library. */
static void *original(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) abort();
  return function;
}

uint64_t crc64_ecma_refl(uint64_t seed, const unsigned char *data, uint64_t length) {
  static uint64_t (*_Atomic library)(uint64_t, const unsigned char *, uint64_t);
  if (!library) library = (uint64_t (*)(uint64_t, const unsigned char *, uint64_t))original("crc64_ecma_refl");
  count(data, length);
  return library(seed, data, length);
}

int EVP_DigestUpdate(void *context, const void *data, size_t length) {
  static int (*_Atomic library)(void *, const void *, size_t);
  if (!library) library = (int (*)(void *, const void *, size_t))original("EVP_DigestUpdate");
  count(data, length);
  return library(context, data, length);
}
