#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Libraries that are opened when they are first needed. Programs start without them, and at no cost for them.

/// A function of a library, and the place of the pointer to it.
typedef struct cdl_symbol {
  const char *name;
  void *pointer;
} cdl_symbol;

/// A library; static, so that it is opened once.
typedef struct cdl_library {
  /// The name with the version of the interface, such as libdav1d.so.6.
  const char *soname;
  const cdl_symbol *symbols;
  size_t symbol_count;
  /// The state; begins as CDL_CLOSED.
  pthread_mutex_t lock;
  int state;
  const char *failure;
} cdl_library;

enum { CDL_CLOSED = 0, CDL_OPEN = 1, CDL_FAILED = 2 };

#define CDL_LIBRARY(name, soname_, symbols_)                                                               \
  static cdl_library name = {.soname = (soname_),                                                          \
                             .symbols = (symbols_),                                                        \
                             .symbol_count = sizeof(symbols_) / sizeof *(symbols_),                        \
                             .lock = PTHREAD_MUTEX_INITIALIZER}

/// Opens the library and finds its functions, the first time. Returns NULL, or the reason why it cannot be used, which
/// stays the same for the life of the process. Thread-safe. dlopen(3).
const char *cdl_open(cdl_library *library);

/// Returns true if the library is in one of the folders that are searched, without opening it. If it is not, the loader's
/// cache decides: the library is opened. Thread-safe.
bool cdl_is_installed(cdl_library *library);

/// Opens no further libraries in this process, and looks for none: those that are not open are taken for installed, and fail
/// when they are needed. For a process that is about to give up files.
void cdl_seal(void);

/// Names a library in the program for packagers, as an ELF note. `json` is an array of objects with the fields feature,
/// description, priority and soname. <https://uapi-group.org/specifications/specs/elf_dlopen_metadata/>
#define CDL_NOTE(name, json)                                                                               \
  __attribute__((used, aligned(4), section(".note.dlopen"))) static const struct {                         \
    uint32_t owner_size, text_size, type;                                                                  \
    char owner[4];                                                                                         \
    char text[(sizeof(json) + 3) & ~(size_t)3];                                                            \
  } name = {4, sizeof(json), 0x407c0c0a, "FDO", json}
