#define _GNU_SOURCE
#include "CDynamicLibrary.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *copy(const char *text) {
  const char *made = text ? strdup(text) : NULL;
  return made ? made : "the loader gives no reason";
}

static atomic_bool is_sealed;

void cdl_seal(void) { atomic_store(&is_sealed, true); }

/// Called with the lock.
static void open_library(cdl_library *library) {
  void *handle = dlopen(library->soname, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    library->failure = copy(dlerror());
    library->state = CDL_FAILED;
    return;
  }
  for (size_t index = 0; index < library->symbol_count; index++) {
    void *address = dlsym(handle, library->symbols[index].name);
    if (!address) {
      library->failure = copy(dlerror());
      library->state = CDL_FAILED;
      dlclose(handle);
      return;
    }
    memcpy(library->symbols[index].pointer, &address, sizeof address);
  }
  // The handle stays open for the life of the process.
  library->state = CDL_OPEN;
}

const char *cdl_open(cdl_library *library) {
  pthread_mutex_lock(&library->lock);
  if (library->state == CDL_CLOSED && !atomic_load(&is_sealed)) open_library(library);
  const char *failure = library->state == CDL_OPEN   ? NULL
                        : library->state == CDL_CLOSED ? "it was not opened in time"
                                                       : library->failure;
  pthread_mutex_unlock(&library->lock);
  return failure;
}

static bool is_in_searched_folder(const char *soname) {
  void *program = dlopen(NULL, RTLD_LAZY);
  if (!program) return false;
  bool found = false;
  Dl_serinfo size;
  if (dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0) {
    Dl_serinfo *folders = malloc(size.dls_size);
    if (folders) {
      folders->dls_size = size.dls_size;
      folders->dls_cnt = size.dls_cnt;
      if (dlinfo(program, RTLD_DI_SERINFO, folders) == 0) {
        for (unsigned index = 0; index < folders->dls_cnt && !found; index++) {
          char path[4096];
          int length = snprintf(path, sizeof path, "%s/%s", folders->dls_serpath[index].dls_name, soname);
          found = length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0;
        }
      }
      free(folders);
    }
  }
  dlclose(program);
  return found;
}

bool cdl_is_installed(cdl_library *library) {
  pthread_mutex_lock(&library->lock);
  int state = library->state;
  pthread_mutex_unlock(&library->lock);
  if (state != CDL_CLOSED) return state == CDL_OPEN;
  if (atomic_load(&is_sealed)) return true;
  return is_in_searched_folder(library->soname) || cdl_open(library) == NULL;
}
