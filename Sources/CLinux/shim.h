#pragma once
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

/* System calls that glibc does not wrap, or that Swift cannot call because they take variable arguments. */

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

/* Opens a file only if that needs no device: EAGAIN otherwise. ENOSYS or EPERM where the kernel (before 5.12) or a
   sandbox does not know how. openat2(2), RESOLVE_CACHED. */
static inline int calotype_open_cached(const char *path, int flags) {
  struct { uint64_t flags, mode, resolve; } how = {(uint64_t)flags, 0, 0x20};
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

/* Reads what is in the page cache: EAGAIN when nothing is, EOPNOTSUPP where the file system cannot tell. preadv2(2),
   RWF_NOWAIT. */
static inline ssize_t calotype_read_cached(int descriptor, void *buffer, size_t count, off_t offset) {
  struct iovec vector = {buffer, count};
  return preadv2(descriptor, &vector, 1, offset, 0x8);
}

/* Whether the files of this file system are nowhere but in memory. */
static inline int calotype_is_in_memory(int descriptor) {
  struct statfs status;
  if (fstatfs(descriptor, &status) != 0) return 0;
  return status.f_type == 0x01021994 /* tmpfs */ || status.f_type == (int)0x858458f6 /* ramfs */;
}
