#define _GNU_SOURCE
#include "crolling.h"
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { protection = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };

void *cpx_reserve_pages(size_t size) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (size > SIZE_MAX - 2 * cpx_page_block) return NULL;
  // The excess at both ends is released.
  const size_t used = (size + page - 1) / page * page;
  char *pages = mmap(NULL, used + cpx_page_block, protection, kind, -1, 0);
  if (pages == MAP_FAILED) return NULL;
  const size_t before = -(uintptr_t)pages & (cpx_page_block - 1);
  if (before > 0) munmap(pages, before);
  pages += before;
  if (before < cpx_page_block) munmap(pages + used, cpx_page_block - before);
  madvise(pages, used, MADV_HUGEPAGE);
  return pages;
}

void cpx_release_pages(void *pages, size_t size) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  munmap(pages, (size + page - 1) / page * page);
}

cpx_move cpx_move_block(void *from, void *to) {
#if defined(__linux__) && defined(MREMAP_DONTUNMAP)
  // The flag exists since Linux 5.7. Without it the old range would be free for other mappings while it is still in
  // use. Blocks are moved one at a time, because a range must lie within one mapping, and moved blocks are mappings of
  // their own.
  if (mremap(from, cpx_page_block, cpx_page_block, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to)
      != MAP_FAILED)
    return CPX_MOVED;
  // Some failures occur after the target was unmapped: it has to be mapped again before the next write.
  return mmap(to, cpx_page_block, protection, kind | MAP_FIXED, -1, 0) == to ? CPX_NOT_MOVED : CPX_LOST;
#else
  (void)from, (void)to;
  return CPX_NOT_MOVED;
#endif
}
