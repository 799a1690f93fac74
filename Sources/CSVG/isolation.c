#define _GNU_SOURCE
#include "csvg_libraries.h"

#if CALOTYPE_SVG
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// Pango looks for a font in two threads of their own, which end when it is found. Here it looks at once.
static void *start_thread(const char *name, void *(*body)(void *), void *argument) {
  const bool ends = name && (strcmp(name, "[pango] FcFontSetMatch") == 0 || strcmp(name, "[pango] FcFontSetSort") == 0);
  if (!ends) return csvg.thread_new(name, body, argument);
  body(argument);
  return csvg.thread_ref(csvg.thread_self());
}

/// The files of fonts stay as they are: they are in memory.
static int is_readable(const char *path, int mode) {
  (void)path, (void)mode;
  return 0;
}

/// Warnings are not written: GLib would first ask whether standard error is the journal, a terminal or a file, and open others.
static int do_not_log(int level, const void *fields, size_t count, void *data) {
  (void)level, (void)fields, (void)count, (void)data;
  return 1;
}

/// Threads that wait for work call it in a loop before they sleep.
static int do_not_yield(void) { return 0; }

/// Lists GIF alone among the loaders of images that are libraries: gdk-pixbuf reads PNG and JPEG by itself.
static const char *limit_images(void) {
  void *handle = dlopen("libgdk_pixbuf-2.0.so.0", RTLD_NOW | RTLD_NOLOAD);
  struct link_map *map = NULL;
  if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return "gdk-pixbuf cannot be found";
  const char *name = strrchr(map->l_name, '/');
  int file = memfd_create("loaders", MFD_CLOEXEC);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  const int written = dprintf(file,
                              "\"%.*s/gdk-pixbuf-2.0/2.10.0/loaders/libpixbufloader-gif.so\"\n"
                              "\"gif\" 4 \"gdk-pixbuf\" \"GIF\" \"LGPL\"\n\"image/gif\" \"\"\n\"gif\" \"\"\n"
                              "\"GIF8\" \"\" 100\n\n",
                              name ? (int)(name - map->l_name) : 0, map->l_name);
  dlclose(handle);
  if (written < 0) return "the loaders of images cannot be listed";
  setenv("GDK_PIXBUF_MODULE_FILE", path, 1);
  // A list of a few nodes, which is not freed.
  const bool is_read = csvg.image_formats() != NULL;
  close(file);
  return is_read ? NULL : "there are no loaders of images";
}

const char *csvg_isolate(const char *font_folder) {
  // Threads with arenas of their own change the protection of memory as they grow, and reserve 64 MiB each.
  mallopt(M_ARENA_MAX, 1);
  // librsvg computes filters in a pool of threads.
  setenv("RAYON_NUM_THREADS", "1", 1);
  // Nothing that a user has set up.
  static const char *const folders[] = {"HOME",           "XDG_DATA_DIRS",   "XDG_DATA_HOME",
                                        "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"};
  for (size_t index = 0; index < sizeof folders / sizeof *folders; index++) setenv(folders[index], "/nonexistent", 1);
  setenv("LC_ALL", "C.UTF-8", 1);
  const char *failure = csvg_open();
  if (!failure) failure = limit_images();
  if (!failure) failure = csvg_load_fonts(font_folder);
  if (failure) return failure;
  csvg.set_log_writer(do_not_log, NULL, NULL);
  csvg_replace("libpangoft2-1.0.so.0", "g_thread_new", (void *)start_thread);
  csvg_replace("librsvg-2.so.2", "sched_yield", (void *)do_not_yield);
  csvg_replace("libfontconfig.so.1", "access", (void *)is_readable);
  csvg_replace("libcairo.so.2", "access", (void *)is_readable);
  return NULL;
}
#endif
