#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Headers older than 5.6 lack it; the number is the same everywhere. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

int calotype_open_cached(const char *path, int flags) {
  const uint64_t resolve_cached = 0x20;
  struct {
    uint64_t flags, mode, resolve;
  } how = {(uint64_t)flags, 0, resolve_cached};
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

ptrdiff_t calotype_read_cached(int descriptor, void *buffer, size_t count, int64_t offset) {
  const int nowait = 0x8;
  struct iovec vector = {buffer, count};
  return preadv2(descriptor, &vector, 1, offset, nowait);
}

int calotype_sync_file_system(int descriptor) { return syncfs(descriptor); }

int calotype_is_in_memory(int descriptor) {
  const unsigned long tmpfs = 0x01021994, ramfs = 0x858458f6;
  struct statfs status;
  if (fstatfs(descriptor, &status) != 0) return 0;
  const unsigned long type = (unsigned long)status.f_type & 0xffffffff;
  return type == tmpfs || type == ramfs;
}

int calotype_route_changes(void) {
  const int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (descriptor < 0) return -1;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK};
  address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  close(descriptor);
  return -1;
}

void *calotype_resize_mapping(void *address, size_t count, size_t new_count) {
  void *moved = mremap(address, count, new_count, MREMAP_MAYMOVE);
  return moved == MAP_FAILED ? NULL : moved;
}

static inline void calotype_pause(void) {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#elif defined __aarch64__
  __asm__ volatile("isb");
#endif
}

void calotype_lock_contended(void *pointer) {
  pthread_mutex_t *mutex = pointer;
  for (int pauses = 1; pauses <= 32; pauses *= 2) {
    for (int i = 0; i < pauses; i++) calotype_pause();
    if (pthread_mutex_trylock(mutex) == 0) return;
  }
  pthread_mutex_lock(mutex);
}

#ifdef __GLIBC__
void calotype_limit_malloc(int arenas) {
  if (!getenv("GLIBC_TUNABLES") && !getenv("MALLOC_ARENA_MAX")) mallopt(M_ARENA_MAX, arenas);
}

int calotype_trim_malloc(void) {
  return malloc_trim(0);
}
#else
void calotype_limit_malloc(int arenas) {
  (void)arenas;
}

int calotype_trim_malloc(void) {
  return 0;
}
#endif

#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
size_t calotype_malloc_in_use(void) {
  const struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}
#else
size_t calotype_malloc_in_use(void) {
  return 0;
}
#endif
