#pragma once
#include <stddef.h>
#include <stdint.h>

/* System calls that glibc does not wrap, or that Swift cannot call because they take variable arguments. Errors are -1
   and errno. */

/* Opens a file only if that needs no device: EAGAIN otherwise. ENOSYS or EPERM where the kernel (before 5.12) or a
   sandbox does not know how. openat2(2), RESOLVE_CACHED. */
int calotype_open_cached(const char *path, int flags);

/* Reads what is in the page cache: EAGAIN when nothing is, EOPNOTSUPP where the file system cannot tell. preadv2(2),
   RWF_NOWAIT. */
ptrdiff_t calotype_read_cached(int descriptor, void *buffer, size_t count, int64_t offset);

/* Waits until everything on the file system of an open file is on the device. syncfs(2). */
int calotype_sync_file_system(int descriptor);

/* Whether the files of this file system are nowhere but in memory. */
int calotype_is_in_memory(int descriptor);

/* A socket that can be read whenever links or routes have changed; never blocks. The caller closes it. rtnetlink(7). */
int calotype_route_changes(void);

/* Makes an anonymous mapping longer or shorter, elsewhere if need be; its pages are moved, not copied. NULL and errno when
   that fails: the mapping is then as it was. mremap(2). */
void *calotype_resize_mapping(void *address, size_t count, size_t new_count);

/* Locks a mutex (pthread_mutex_t) that was found locked: tries again for about a microsecond, then sleeps until it is free. */
void calotype_lock_contended(void *mutex);

/* Limits the arenas of glibc's malloc, unless the environment does (MALLOC_ARENA_MAX or GLIBC_TUNABLES); nothing with other
   C libraries. mallopt(3). */
void calotype_limit_malloc(int arenas);

/* Gives back the free pages of all arenas of glibc's malloc: 1 if there were any; 0 with other C libraries. malloc_trim(3). */
int calotype_trim_malloc(void);

/* Bytes that are allocated and not freed; 0 where that is not known. mallinfo2(3). */
size_t calotype_malloc_in_use(void);
