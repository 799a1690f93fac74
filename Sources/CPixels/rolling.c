#define _GNU_SOURCE
#include "crolling.h"
#include <stdint.h>
#include <sys/mman.h>

void *cpx_reserve_pages(size_t size) {
  if (size > SIZE_MAX - cpx_page_block) return NULL;
  // What is too much at both ends is given back.
  char *pages = mmap(NULL, size + cpx_page_block, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return NULL;
  const size_t before = -(uintptr_t)pages & (cpx_page_block - 1);
  if (before > 0) munmap(pages, before);
  pages += before;
  // `size` need not be whole pages; the end of the last one stays.
  const size_t used = (size + 4095) & ~(size_t)4095, rest = cpx_page_block - before + size - used;
  if (rest > 0) munmap(pages + used, rest);
  madvise(pages, used, MADV_HUGEPAGE);
  return pages;
}

void cpx_release_pages(void *pages, size_t size) { munmap(pages, size); }

int cpx_move_pages(void *from, void *to, size_t size) {
#if defined(__linux__) && defined(MREMAP_DONTUNMAP)
  // Since Linux 5.7. Without this flag the old range would be free for others while it is still ours.
  return mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to) != MAP_FAILED;
#else
  (void)from, (void)to, (void)size;
  return 0;
#endif
}
