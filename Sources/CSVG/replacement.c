#define _GNU_SOURCE
#include "csvg_libraries.h"

#if CALOTYPE_SVG
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { SLOT_OF_FUNCTION = R_X86_64_JUMP_SLOT, SLOT_OF_ADDRESS = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { SLOT_OF_FUNCTION = R_AARCH64_JUMP_SLOT, SLOT_OF_ADDRESS = R_AARCH64_GLOB_DAT };
#else
enum { SLOT_OF_FUNCTION = -1, SLOT_OF_ADDRESS = -1 };
#endif

typedef struct {
  uintptr_t base, start, end;
} region;

/// Finds the pages of a library that the loader makes read-only once it has filled them in.
static int find_sealed(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)size;
  region *sealed = argument;
  if (info->dlpi_addr != sealed->base) return 0;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
    if (segment->p_type != PT_GNU_RELRO) continue;
    sealed->start = info->dlpi_addr + segment->p_vaddr;
    sealed->end = sealed->start + segment->p_memsz;
  }
  return 1;
}

static bool store(uintptr_t slot, void *value, const region *sealed) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const uintptr_t start = slot & ~(page - 1);
  const bool is_sealed = start >= (sealed->start & ~(page - 1)) && start + page <= sealed->end;
  if (is_sealed && mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0) return false;
  memcpy((void *)slot, &value, sizeof value);
  return !is_sealed || mprotect((void *)start, page, PROT_READ) == 0;
}

bool csvg_replace(const char *soname, const char *name, void *replacement) {
  void *handle = dlopen(soname, RTLD_NOW | RTLD_NOLOAD);
  if (!handle) return false;
  struct link_map *map = NULL;
  bool is_found = false;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) {
    region sealed = {map->l_addr, 0, 0};
    dl_iterate_phdr(find_sealed, &sealed);
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const ElfW(Rela) *tables[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
      switch (entry->d_tag) {
        // The loader has made addresses of them.
        case DT_SYMTAB: symbols = (const void *)entry->d_un.d_ptr; break;
        case DT_STRTAB: names = (const void *)entry->d_un.d_ptr; break;
        case DT_JMPREL: tables[0] = (const void *)entry->d_un.d_ptr; break;
        case DT_PLTRELSZ: sizes[0] = entry->d_un.d_val; break;
        case DT_RELA: tables[1] = (const void *)entry->d_un.d_ptr; break;
        case DT_RELASZ: sizes[1] = entry->d_un.d_val; break;
        default: break;
      }
    }
    for (int table = 0; table < 2 && symbols && names; table++) {
      for (size_t index = 0; tables[table] && index < sizes[table] / sizeof(ElfW(Rela)); index++) {
        const ElfW(Rela) *slot = &tables[table][index];
        int type = (int)ELF64_R_TYPE(slot->r_info);
        if (type != SLOT_OF_FUNCTION && type != SLOT_OF_ADDRESS) continue;
        if (strcmp(names + symbols[ELF64_R_SYM(slot->r_info)].st_name, name) != 0) continue;
        if (!store(map->l_addr + slot->r_offset, replacement, &sealed)) continue;
        is_found = true;
      }
    }
  }
  dlclose(handle);
  return is_found;
}
#endif
