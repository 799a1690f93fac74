#pragma once
#include <stddef.h>
#include <stdint.h>

/* System calls that glibc does not wrap, or that Swift cannot call because they take variable arguments. Errors are -1
   and errno. */

/* Opens a file only if that needs no access to a device: EAGAIN otherwise. ENOSYS or EPERM if the kernel (before 5.12)
   or a sandbox does not support it. openat2(2), RESOLVE_CACHED. */
int calotype_open_cached(const char *path, int flags);

/* Reads from the page cache: EAGAIN if it has none of the data, EOPNOTSUPP if the file system does not support it.
   preadv2(2), RWF_NOWAIT. */
ptrdiff_t calotype_read_cached(int descriptor, void *buffer, size_t count, int64_t offset);

/* Waits until all data of the file system of an open file are on the device. syncfs(2). */
int calotype_sync_file_system(int descriptor);

/* Returns true if the files of this file system are only in memory. */
int calotype_is_in_memory(int descriptor);

/* Returns a socket that becomes readable when links or routes have changed; never blocks. The caller closes it.
   rtnetlink(7). */
int calotype_route_changes(void);

/* Resizes an anonymous mapping, and moves it if necessary; its pages are moved, not copied. NULL and errno on failure:
   the mapping is then unchanged. mremap(2). */
void *calotype_resize_mapping(void *address, size_t count, size_t new_count);

/* Locks a contended mutex (pthread_mutex_t): retries for about a microsecond, then sleeps until it is free. */
void calotype_lock_contended(void *mutex);

/* Limits the arenas of glibc's malloc, unless the environment does (MALLOC_ARENA_MAX or GLIBC_TUNABLES); does nothing
   with other C libraries. mallopt(3). */
void calotype_limit_malloc(int arenas);

/* Returns the free pages of all arenas of glibc's malloc to the system: 1 if there were any; 0 with other C libraries.
   malloc_trim(3). */
int calotype_trim_malloc(void);

/* Returns the bytes that are allocated and not freed; 0 if unknown. mallinfo2(3). */
size_t calotype_malloc_in_use(void);
