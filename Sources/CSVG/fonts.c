#define _GNU_SOURCE
#include "csvg_libraries.h"

#if CALOTYPE_SVG
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Where fonts are missing, any font will do. Files are not looked for again.
static const char settings[] =
    "<fontconfig><config><rescan><int>0</int></rescan></config>"
    "<alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>"
    "<alias><family>serif</family><prefer><family>DejaVu Serif</family></prefer></alias>"
    "<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>"
    "</fontconfig>";

enum { MAX_FONTS = 256 };

/// The files, mapped for the life of the process.
static struct {
  char *path;
  hb_blob *blob;
} fonts[MAX_FONTS];
static size_t font_count;

static hb_blob *find(const char *path) {
  for (size_t index = 0; path && index < font_count; index++)
    if (strcmp(fonts[index].path, path) == 0) return fonts[index].blob;
  return NULL;
}

/// In place of hb_blob_create_from_file(), for Pango.
static hb_blob *read_blob(const char *path) {
  hb_blob *blob = find(path);
  return blob ? csvg.blob_ref(blob) : csvg.blob_empty();
}

/// In place of FT_New_Face(), for cairo, which closes faces and opens them again, and for Pango.
static ft_error open_face(ft_library library, const char *path, long index, ft_face *face) {
  enum { CANNOT_OPEN = 1 };
  hb_blob *blob = find(path);
  if (!blob) return CANNOT_OPEN;
  unsigned count = 0;
  const uint8_t *bytes = csvg.blob_bytes(blob, &count);
  return csvg.memory_face(library, bytes, (long)count, index, face);
}

static int is_font(const struct dirent *entry) {
  const char *extension = strrchr(entry->d_name, '.');
  return extension && (strcasecmp(extension, ".ttf") == 0 || strcasecmp(extension, ".otf") == 0 ||
                       strcasecmp(extension, ".ttc") == 0);
}

static int by_bytes(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static void load(const char *path, fc_config *config) {
  if (font_count == MAX_FONTS || !csvg.config_add(config, (const uint8_t *)path)) return;
  hb_blob *blob = csvg.blob_read(path);
  unsigned count = 0;
  csvg.blob_bytes(blob, &count);
  char *copy = count > 0 ? strdup(path) : NULL;
  if (!copy) return;
  fonts[font_count].path = copy;
  fonts[font_count].blob = blob;
  font_count++;
}

const char *csvg_load_fonts(const char *folder) {
  fc_config *config = csvg.config_create();
  if (!config || !csvg.config_parse(config, (const uint8_t *)settings, 0)) return "fontconfig refuses its settings";
  struct dirent **entries = NULL;
  int count = scandir(folder, &entries, is_font, by_bytes);
  for (int index = 0; index < count; index++) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", folder, entries[index]->d_name);
    if (length > 0 && (size_t)length < sizeof path) load(path, config);
    free(entries[index]);
  }
  free(entries);
  if (font_count == 0) return "the folder of fonts has none";
  if (!csvg.config_set_current(config)) return "fontconfig refuses the fonts";
  csvg_replace("libcairo.so.2", "FT_New_Face", (void *)open_face);
  csvg_replace("libpangoft2-1.0.so.0", "FT_New_Face", (void *)open_face);
  csvg_replace("libpangoft2-1.0.so.0", "hb_blob_create_from_file", (void *)read_blob);
  return NULL;
}
#endif
