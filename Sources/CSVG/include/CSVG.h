#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// librsvg and cairo, opened when a drawing is first decoded. They abort the process on some inputs, and never return
// from others: they are for processes that have nothing to lose.

/// Opens the libraries. Returns NULL, or the reason why they cannot be used. Thread-safe.
const char *csvg_open(void);

/// Returns true if librsvg is installed. Thread-safe.
bool csvg_is_installed(void);

/// Prepares the process for drawings that start no threads, open no files and ask the system for nothing but memory,
/// apart from one thread for filters, which the first filter starts. The fonts of the folder are read into memory, at
/// most 256 files in the order of their names, and are the only ones. Pictures in drawings are PNG, JPEG or GIF.
/// Environment variables are set. Call it before any drawing, in a process with one thread, and draw in that thread: what
/// the libraries open when they first need it, they keep for it. Returns NULL, or the reason of the failure.
const char *csvg_isolate(const char *font_folder);

/// A parsed drawing. One thread at a time.
typedef struct csvg_drawing csvg_drawing;

/// The part of a drawing to draw.
typedef struct {
  /// The natural size, in pixels of 96 dpi.
  double width, height;
  /// The size of the whole drawing in pixels; the proportions may differ.
  uint32_t scaled_width, scaled_height;
  /// The part to draw, in pixels.
  uint32_t x, y, part_width, part_height;
} csvg_part;

/// Parses UTF-8 text, which is not needed afterwards. The libraries were opened. References lead nowhere. Returns NULL
/// on failure, with the reason in `message`.
csvg_drawing *csvg_parse(const uint8_t *text, size_t count, char message[256]);

/// Draws on transparent pixels: `pixels` has zeros for all rows of the part, without padding, and receives straight RGBA.
/// Returns false on failure, with the reason in `message`.
bool csvg_draw(csvg_drawing *drawing, const csvg_part *part, uint8_t *pixels, char message[256]);

/// Frees the drawing.
void csvg_free(csvg_drawing *drawing);
