#pragma once
#include <stddef.h>

/// Bytes of the blocks in which pages are moved: the size of a huge page.
enum { cpx_page_block = 2 << 20 };

/// Reserves `size` bytes of address space, which get memory when they are written, aligned to a block. NULL if there is
/// none.
void *cpx_reserve_pages(size_t size);
void cpx_release_pages(void *pages, size_t size);

typedef enum {
  CPX_MOVED,
  /// The system does not support it; both blocks are still valid, and the target is empty.
  CPX_NOT_MOVED,
  /// The target is no longer mapped: the pages must be neither used nor released.
  CPX_LOST,
} cpx_move;

/// Moves the memory of a block of pages, without copying, to a block that is no longer needed: its contents are lost,
/// and `from` has no memory afterwards. Both are blocks of one reservation.
cpx_move cpx_move_block(void *from, void *to);
