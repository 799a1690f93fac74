#include "library.h"

#if CALOTYPE_JXL
#include <stdlib.h>

/// In front of each block: its size. As large as malloc aligns.
typedef union block {
  size_t size;
  max_align_t alignment;
} block;

static void *take(void *context, size_t size) {
  cjxl_memory *memory = context;
  memory->count++;
  if (memory->count == memory->failing) return NULL;
  if (size > memory->limit || memory->used > memory->limit - size || size > SIZE_MAX - sizeof(block)) return NULL;
  block *made = malloc(sizeof(block) + size);
  if (!made) return NULL;
  made->size = size;
  memory->used += size;
  return made + 1;
}

static void give_back(void *context, void *address) {
  if (!address) return;
  cjxl_memory *memory = context;
  block *start = (block *)address - 1;
  memory->used -= start->size;
  free(start);
}

JxlMemoryManager cjxl_memory_manager(cjxl_memory *memory) {
  return (JxlMemoryManager){.opaque = memory, .alloc = take, .free = give_back};
}
#endif
