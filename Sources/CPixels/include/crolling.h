#pragma once
#include <stddef.h>

/// Pages are moved in blocks of so many bytes: the size of a huge page.
enum { cpx_page_block = 2 << 20 };

/// `size` bytes of address space without memory behind it until it is written, aligned to a block. NULL when there is none.
void *cpx_reserve_pages(size_t size);
void cpx_release_pages(void *pages, size_t size);

typedef enum {
  CPX_MOVED,
  /// The system cannot; both blocks are as good as before, the target is empty.
  CPX_NOT_MOVED,
  /// Nothing is mapped at the target any more: the pages must be neither used nor released.
  CPX_LOST,
} cpx_move;

/// Moves the memory behind a block of pages, not its contents byte by byte, to a block where nothing is needed any
/// more: what was there is lost, and `from` has no memory afterwards. Both are blocks of one reservation.
cpx_move cpx_move_block(void *from, void *to);
