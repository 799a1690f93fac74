#pragma once
#include "CSVG.h"

#if CALOTYPE_SVG
// The declarations that are used, so that building needs no package: <librsvg/rsvg.h> 2.54, <cairo.h> 1.16,
// <glib.h> 2.74, <fontconfig/fontconfig.h> 2.14, <ft2build.h> 2.12, <hb.h> 6.0, <gdk-pixbuf/gdk-pixbuf.h> 2.42.

typedef struct _RsvgHandle rsvg_handle;
typedef struct _cairo_surface cairo_surface;
typedef struct _cairo cairo_context;
typedef struct _FcConfig fc_config;
typedef struct hb_blob_t hb_blob;
typedef struct FT_LibraryRec_ *ft_library;
typedef struct FT_FaceRec_ *ft_face;

typedef int ft_error;

typedef struct {
  uint32_t domain;
  int code;
  char *message;
} g_error;

typedef struct {
  double x, y, width, height;
} rsvg_rectangle;

/// The functions, once csvg_open has returned NULL.
extern struct csvg_functions {
  rsvg_handle *(*parse)(const uint8_t *text, size_t count, g_error **error);
  void (*set_dpi)(rsvg_handle *handle, double dpi);
  int (*render)(rsvg_handle *handle, cairo_context *context, const rsvg_rectangle *viewport, g_error **error);
  cairo_surface *(*surface_create)(uint8_t *pixels, int format, int width, int height, int stride);
  void (*surface_flush)(cairo_surface *surface);
  void (*surface_destroy)(cairo_surface *surface);
  cairo_context *(*context_create)(cairo_surface *target);
  int (*context_status)(cairo_context *context);
  void (*context_destroy)(cairo_context *context);
  void (*translate)(cairo_context *context, double x, double y);
  void (*scale)(cairo_context *context, double x, double y);
  const char *(*status_text)(int status);
  void (*unref)(void *object);
  void (*error_free)(g_error *error);
  void *(*thread_self)(void);
  void *(*thread_ref)(void *thread);
  void (*set_log_writer)(int (*writer)(int level, const void *fields, size_t count, void *data), void *data,
                         void (*release)(void *data));
  void *(*thread_new)(const char *name, void *(*body)(void *), void *argument);
  fc_config *(*config_create)(void);
  void (*config_destroy)(fc_config *config);
  int (*config_add)(fc_config *config, const uint8_t *file);
  int (*config_parse)(fc_config *config, const uint8_t *text, int complains);
  int (*config_set_current)(fc_config *config);
  ft_error (*memory_face)(ft_library library, const uint8_t *bytes, long count, long index, ft_face *face);
  hb_blob *(*blob_read)(const char *path);
  hb_blob *(*blob_empty)(void);
  hb_blob *(*blob_ref)(hb_blob *blob);
  const uint8_t *(*blob_bytes)(hb_blob *blob, unsigned *count);
  void *(*image_formats)(void);
} csvg;

/// Makes a loaded library call another function instead of one that it imports. Returns false if it does not import it.
/// For a process with one thread.
bool csvg_replace(const char *soname, const char *name, void *replacement);

/// Reads the fonts of a folder into memory and makes them the only ones. Returns NULL, or the reason of the failure.
const char *csvg_load_fonts(const char *folder);
#endif
