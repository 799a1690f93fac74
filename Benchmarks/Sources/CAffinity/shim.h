#pragma once
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The processors that the calling thread may use, a bit each; sched_getaffinity is not visible to Swift. */
static inline long caffinity_get(unsigned long *mask, size_t bytes) { return syscall(SYS_sched_getaffinity, 0, bytes, mask); }
static inline long caffinity_set(const unsigned long *mask, size_t bytes) { return syscall(SYS_sched_setaffinity, 0, bytes, mask); }
