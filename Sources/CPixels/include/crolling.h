#pragma once
#include <stddef.h>

/// Pages are moved in blocks of so many bytes: the size of a huge page.
enum { cpx_page_block = 2 << 20 };

/// `size` bytes of address space without memory behind it until it is written, aligned to a block. NULL when there is none.
void *cpx_reserve_pages(size_t size);
void cpx_release_pages(void *pages, size_t size);

/// Moves the memory behind pages, not their contents byte by byte, to where nothing is needed any more: what was there
/// is lost, and `from` has no memory afterwards. All are multiples of a block and do not overlap. False when
/// the system cannot.
int cpx_move_pages(void *from, void *to, size_t size);
