#include "csvg_libraries.h"

#if CALOTYPE_SVG
#include <CDynamicLibrary.h>

struct csvg_functions csvg;

static const cdl_symbol rsvg_symbols[] = {
    {"rsvg_handle_new_from_data", &csvg.parse},
    {"rsvg_handle_set_dpi", &csvg.set_dpi},
    {"rsvg_handle_render_document", &csvg.render},
};
CDL_LIBRARY(rsvg, "librsvg-2.so.2", rsvg_symbols);

static const cdl_symbol cairo_symbols[] = {
    {"cairo_image_surface_create_for_data", &csvg.surface_create},
    {"cairo_surface_flush", &csvg.surface_flush},
    {"cairo_surface_destroy", &csvg.surface_destroy},
    {"cairo_create", &csvg.context_create},
    {"cairo_status", &csvg.context_status},
    {"cairo_destroy", &csvg.context_destroy},
    {"cairo_translate", &csvg.translate},
    {"cairo_scale", &csvg.scale},
    {"cairo_status_to_string", &csvg.status_text},
};
CDL_LIBRARY(cairo, "libcairo.so.2", cairo_symbols);

static const cdl_symbol gobject_symbols[] = {{"g_object_unref", &csvg.unref}};
CDL_LIBRARY(gobject, "libgobject-2.0.so.0", gobject_symbols);

static const cdl_symbol glib_symbols[] = {
    {"g_error_free", &csvg.error_free},
    {"g_log_set_writer_func", &csvg.set_log_writer},
    {"g_thread_self", &csvg.thread_self},
    {"g_thread_ref", &csvg.thread_ref},
    {"g_thread_new", &csvg.thread_new},
};
CDL_LIBRARY(glib, "libglib-2.0.so.0", glib_symbols);

static const cdl_symbol fontconfig_symbols[] = {
    {"FcConfigCreate", &csvg.config_create},
    {"FcConfigDestroy", &csvg.config_destroy},
    {"FcConfigAppFontAddFile", &csvg.config_add},
    {"FcConfigParseAndLoadFromMemory", &csvg.config_parse},
    {"FcConfigSetCurrent", &csvg.config_set_current},
};
CDL_LIBRARY(fontconfig, "libfontconfig.so.1", fontconfig_symbols);

static const cdl_symbol freetype_symbols[] = {{"FT_New_Memory_Face", &csvg.memory_face}};
CDL_LIBRARY(freetype, "libfreetype.so.6", freetype_symbols);

static const cdl_symbol harfbuzz_symbols[] = {
    {"hb_blob_create_from_file", &csvg.blob_read},
    {"hb_blob_get_empty", &csvg.blob_empty},
    {"hb_blob_reference", &csvg.blob_ref},
    {"hb_blob_get_data", &csvg.blob_bytes},
};
CDL_LIBRARY(harfbuzz, "libharfbuzz.so.0", harfbuzz_symbols);

static const cdl_symbol pixbuf_symbols[] = {{"gdk_pixbuf_get_formats", &csvg.image_formats}};
CDL_LIBRARY(pixbuf, "libgdk_pixbuf-2.0.so.0", pixbuf_symbols);

CDL_NOTE(
    note,
    "[{\"feature\":\"svg\",\"description\":\"Draws SVG\",\"priority\":\"recommended\",\"soname\":[\"librsvg-2.so.2\"]}]");

const char *csvg_open(void) {
  const char *failure = cdl_open(&rsvg);
  // The others are loaded with it.
  cdl_library *const needed[] = {&cairo, &gobject, &glib, &fontconfig, &freetype, &harfbuzz, &pixbuf};
  for (size_t index = 0; !failure && index < sizeof needed / sizeof *needed; index++) failure = cdl_open(needed[index]);
  return failure;
}

bool csvg_is_installed(void) { return cdl_is_installed(&rsvg); }
#endif
