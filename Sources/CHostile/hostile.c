#define _GNU_SOURCE
#include "CHostile.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

long chostile_call(long number, long a, long b, long c, long d, long e, long f) {
  long result = syscall(number, a, b, c, d, e, f);
  return result < 0 ? -errno : result;
}

long chostile_call_32(long number, long a, long b, long c) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory", "r8", "r9", "r10", "r11");
  return result;
#else
  (void)number, (void)a, (void)b, (void)c;
  return -ENOSYS;
#endif
}

void chostile_write_null(void) { *(volatile int *)8 = 1; }

size_t chostile_recurse(size_t depth) {
  volatile char frame[4096];
  memset((void *)frame, (int)depth, sizeof frame);
  return chostile_recurse(depth + 1) + (size_t)frame[depth % sizeof frame];
}
