#include "csvg_libraries.h"

#if CALOTYPE_SVG
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of an image in the byte order of the machine.
enum { FORMAT_ARGB32 = 0 };
enum { STATUS_SUCCESS = 0 };

struct csvg_drawing {
  rsvg_handle *handle;
};

/// Takes over the error.
static void explain(g_error *error, char message[256]) {
  snprintf(message, 256, "%s", error && error->message ? error->message : "no reason is given");
  if (error) csvg.error_free(error);
}

csvg_drawing *csvg_parse(const uint8_t *text, size_t count, char message[256]) {
  csvg_drawing *drawing = calloc(1, sizeof *drawing);
  if (!drawing) {
    snprintf(message, 256, "out of memory");
    return NULL;
  }
  g_error *error = NULL;
  // Without a base URI, to which references would be relative.
  drawing->handle = csvg.parse(text, count, &error);
  if (!drawing->handle) {
    explain(error, message);
    free(drawing);
    return NULL;
  }
  csvg.set_dpi(drawing->handle, 96);
  return drawing;
}

/// Makes straight RGBA of premultiplied pixels of the byte order of the machine.
static void straighten(uint8_t *pixels, size_t count) {
  for (size_t index = 0; index < count; index++) {
    uint32_t pixel;
    memcpy(&pixel, pixels + 4 * index, 4);
    const uint32_t alpha = pixel >> 24;
    uint32_t red = pixel >> 16 & 0xff, green = pixel >> 8 & 0xff, blue = pixel & 0xff;
    if (alpha - 1 < 254) {
      // Filters may leave more colour than there is coverage.
      red = red < alpha ? (red * 255 + alpha / 2) / alpha : 255;
      green = green < alpha ? (green * 255 + alpha / 2) / alpha : 255;
      blue = blue < alpha ? (blue * 255 + alpha / 2) / alpha : 255;
    }
    // Nothing remains where nothing was drawn.
    const uint32_t straight = alpha == 0 ? 0 : red | green << 8 | blue << 16 | alpha << 24;
    memcpy(pixels + 4 * index, &straight, 4);
  }
}

bool csvg_draw(csvg_drawing *drawing, const csvg_part *part, uint8_t *pixels, char message[256]) {
  cairo_surface *surface = csvg.surface_create(pixels, FORMAT_ARGB32, (int)part->part_width, (int)part->part_height,
                                               (int)part->part_width * 4);
  cairo_context *context = csvg.context_create(surface);
  bool is_drawn = false;
  int status = csvg.context_status(context);
  if (status == STATUS_SUCCESS) {
    csvg.translate(context, -(double)part->x, -(double)part->y);
    csvg.scale(context, part->scaled_width / part->width, part->scaled_height / part->height);
    const rsvg_rectangle viewport = {0, 0, part->width, part->height};
    g_error *error = NULL;
    is_drawn = csvg.render(drawing->handle, context, &viewport, &error) != 0;
    if (!is_drawn) explain(error, message);
    status = csvg.context_status(context);
  }
  if (status != STATUS_SUCCESS) {
    is_drawn = false;
    snprintf(message, 256, "%s", csvg.status_text(status));
  }
  csvg.context_destroy(context);
  csvg.surface_flush(surface);
  csvg.surface_destroy(surface);
  if (is_drawn) straighten(pixels, (size_t)part->part_width * part->part_height);
  return is_drawn;
}

void csvg_free(csvg_drawing *drawing) {
  csvg.unref(drawing->handle);
  free(drawing);
}
#endif
