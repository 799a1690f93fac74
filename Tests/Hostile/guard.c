// An allocator for LD_PRELOAD: each larger block ends at a page that may not be touched, is full of a byte, and is not
// there any more once it is freed. The C library keeps the small ones.
//
//   cc -O2 -shared -fPIC -fno-builtin -o guard.so guard.c
//   GUARD_FILL=165 LD_PRELOAD=./guard.so program
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

enum { SMALLEST = 256, PAGE = 4096, ALIGNMENT = 16 };
#define SPACE ((size_t)1 << 40)

// Addresses are given out once, so that a pointer to what was freed never points to something else.
static _Atomic(char *) space;
static size_t *sizes;  // of the block that begins in each page
static atomic_size_t used;
static atomic_int is_ready;
static int fill_byte;

static int prepare(void) {
  int state = 0;
  if (atomic_load(&is_ready) == 2) return 1;
  if (!atomic_compare_exchange_strong(&is_ready, &state, 1)) return state == 2;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  char *reserved = mmap(NULL, SPACE, PROT_NONE, flags, -1, 0);
  sizes = mmap(NULL, SPACE / PAGE * sizeof *sizes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (reserved == MAP_FAILED || sizes == MAP_FAILED) abort();
  const char *fill = getenv("GUARD_FILL");
  fill_byte = fill ? atoi(fill) : 0xA5;
  atomic_store(&space, reserved);
  atomic_store(&is_ready, 2);
  return 1;
}

static int is_guarded(const void *block) {
  const char *start = atomic_load(&space);
  return start && (const char *)block >= start && (const char *)block < start + SPACE;
}

static size_t *size_of(const void *block) { return &sizes[((const char *)block - atomic_load(&space)) / PAGE]; }

// NULL when the C library has to do it.
static void *guarded(size_t count, size_t alignment) {
  if (count < SMALLEST || count > SPACE / 4 || alignment > PAGE || !prepare()) return NULL;
  const size_t pages = (count + alignment + PAGE - 1) / PAGE * PAGE;
  const size_t offset = atomic_fetch_add(&used, pages + PAGE);
  if (offset + pages + PAGE > SPACE) return NULL;
  char *start = atomic_load(&space) + offset;
  // The number of mappings is limited.
  if (mprotect(start, pages, PROT_READ | PROT_WRITE) != 0) return NULL;
  char *block = (char *)((uintptr_t)(start + pages - count) & ~(uintptr_t)(alignment - 1));
  *size_of(block) = count;
  return block;
}

void *malloc(size_t count) {
  void *block = guarded(count, ALIGNMENT);
  if (!block) return __libc_malloc(count);
  return memset(block, fill_byte, count);
}

void *calloc(size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) return errno = ENOMEM, NULL;
  void *block = guarded(total, ALIGNMENT);
  return block ? block : __libc_calloc(count, size);
}

void free(void *block) {
  if (!is_guarded(block)) return __libc_free(block);
  const int error = errno;
  const size_t count = *size_of(block);
  char *start = (char *)((uintptr_t)block & ~(uintptr_t)(PAGE - 1));
  const size_t length = ((char *)block + count - start + PAGE - 1) / PAGE * PAGE;
  madvise(start, length, MADV_DONTNEED);
  mprotect(start, length, PROT_NONE);
  errno = error;
}

void *realloc(void *block, size_t count) {
  if (block && !is_guarded(block) && count < SMALLEST) return __libc_realloc(block, count);
  if (!block) return malloc(count);
  if (!is_guarded(block)) return __libc_realloc(block, count);
  if (count == 0) return free(block), NULL;
  void *moved = malloc(count);
  if (!moved) return NULL;
  const size_t old = *size_of(block);
  memcpy(moved, block, old < count ? old : count);
  free(block);
  return moved;
}

void *memalign(size_t alignment, size_t count) {
  void *block = guarded(count, alignment < ALIGNMENT ? ALIGNMENT : alignment);
  return block ? memset(block, fill_byte, count) : __libc_memalign(alignment, count);
}

void *aligned_alloc(size_t alignment, size_t count) { return memalign(alignment, count); }

int posix_memalign(void **place, size_t alignment, size_t count) {
  void *block = memalign(alignment, count);
  if (!block) return ENOMEM;
  *place = block;
  return 0;
}

size_t malloc_usable_size(void *block) {
  // That of the C library follows the size of the chunk, with two words of its own and flags.
  if (!block) return 0;
  if (is_guarded(block)) return *size_of(block);
  return (((size_t *)block)[-1] & ~(size_t)7) - sizeof(size_t);
}
