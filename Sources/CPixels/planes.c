#include "cplanes.h"

#include <stdlib.h>
#include <string.h>

static uint32_t width_of(const cpx_planes *planes, int plane) {
  return plane == 0 ? planes->width : cpx_chroma_width(planes->chroma, planes->width);
}

static uint32_t height_of(const cpx_planes *planes, int plane) {
  return plane == 0 ? planes->height : cpx_chroma_height(planes->chroma, planes->height);
}

static size_t sample_size(const cpx_planes *planes) { return planes->depth > 8 ? 2 : 1; }

bool cpx_planes_allocate(
    cpx_planes *planes, uint32_t width, uint32_t height, uint32_t depth, cpx_chroma chroma) {
  *planes = (cpx_planes){.width = width, .height = height, .depth = depth, .chroma = chroma};
  const size_t sample = sample_size(planes);
  size_t offsets[3] = {0}, total = 0;
  for (int plane = 0; plane < 3; plane++) {
    const size_t stride = (width_of(planes, plane) * sample + 63) & ~(size_t)63;
    planes->stride[plane] = stride;
    offsets[plane] = total;
    total += stride * height_of(planes, plane);
  }
  // Rows may be read by vectors beyond their ends.
  uint8_t *bytes = calloc(1, total + 64);
  if (!bytes) return false;
  for (int plane = 0; plane < 3; plane++)
    planes->data[plane] = height_of(planes, plane) ? bytes + offsets[plane] : NULL;
  return true;
}

void cpx_planes_free(cpx_planes *planes) {
  free(planes->data[0]);
  *planes = (cpx_planes){0};
}

void cpx_planes_copy(const cpx_planes *tile, const cpx_planes *canvas, uint32_t x, uint32_t y) {
  const size_t sample = sample_size(canvas);
  for (int plane = 0; plane < 3; plane++) {
    if (!canvas->data[plane] || !tile->data[plane]) continue;
    const bool halves_x = plane > 0 && canvas->chroma != CPX_CHROMA_444;
    const bool halves_y = plane > 0 && canvas->chroma == CPX_CHROMA_420;
    const uint32_t left = halves_x ? x / 2 : x, top = halves_y ? y / 2 : y;
    const uint32_t across = width_of(canvas, plane), down = height_of(canvas, plane);
    if (left >= across || top >= down) continue;
    uint32_t columns = width_of(tile, plane), rows = height_of(tile, plane);
    if (columns > across - left) columns = across - left;
    if (rows > down - top) rows = down - top;
    for (uint32_t row = 0; row < rows; row++)
      memcpy(
          canvas->data[plane] + (size_t)(top + row) * canvas->stride[plane] + left * sample,
          tile->data[plane] + (size_t)row * tile->stride[plane], columns * sample);
  }
}

/// Adds rows of samples.
static void add_bytes(uint32_t *restrict sums, const uint8_t *restrict row, uint32_t count, bool is_first) {
  if (is_first)
    for (uint32_t x = 0; x < count; x++) sums[x] = row[x];
  else
    for (uint32_t x = 0; x < count; x++) sums[x] += row[x];
}

static void add_words(uint32_t *restrict sums, const uint16_t *restrict row, uint32_t count, bool is_first) {
  if (is_first)
    for (uint32_t x = 0; x < count; x++) sums[x] = row[x];
  else
    for (uint32_t x = 0; x < count; x++) sums[x] += row[x];
}

/// Averages boxes of a plane. `sums` has room for a row of the source.
static void shrink_plane(
    const uint8_t *source, size_t source_stride, uint32_t width, uint32_t height, uint32_t box_width,
    uint32_t box_height, uint8_t *target, size_t target_stride, bool is_wide, uint32_t *sums) {
  const uint32_t across = (width + box_width - 1) / box_width, down = (height + box_height - 1) / box_height;
  for (uint32_t y = 0; y < down; y++) {
    const uint32_t top = y * box_height;
    const uint32_t rows = box_height < height - top ? box_height : height - top;
    for (uint32_t row = 0; row < rows; row++) {
      const uint8_t *bytes = source + (size_t)(top + row) * source_stride;
      if (is_wide) add_words(sums, (const uint16_t *)(const void *)bytes, width, row == 0);
      else add_bytes(sums, bytes, width, row == 0);
    }
    uint8_t *out = target + (size_t)y * target_stride;
    for (uint32_t x = 0; x < across; x++) {
      const uint32_t left = x * box_width;
      const uint32_t columns = box_width < width - left ? box_width : width - left;
      uint32_t sum = 0;
      for (uint32_t column = 0; column < columns; column++) sum += sums[left + column];
      const uint32_t count = rows * columns, mean = (sum + count / 2) / count;
      if (is_wide) ((uint16_t *)(void *)out)[x] = (uint16_t)mean;
      else out[x] = (uint8_t)mean;
    }
  }
}

bool cpx_planes_shrink(const cpx_planes *planes, uint32_t divisor, cpx_planes *shrunk) {
  const uint32_t width = (planes->width + divisor - 1) / divisor;
  const uint32_t height = (planes->height + divisor - 1) / divisor;
  const cpx_chroma chroma = planes->chroma == CPX_CHROMA_NONE ? CPX_CHROMA_NONE : CPX_CHROMA_444;
  uint32_t *sums = malloc(planes->width * sizeof *sums);
  if (!sums) return false;
  if (!cpx_planes_allocate(shrunk, width, height, planes->depth, chroma)) {
    free(sums);
    return false;
  }
  for (int plane = 0; plane < 3; plane++) {
    if (!shrunk->data[plane] || !planes->data[plane]) continue;
    const bool halves_x = plane > 0 && planes->chroma != CPX_CHROMA_444;
    const bool halves_y = plane > 0 && planes->chroma == CPX_CHROMA_420;
    shrink_plane(
        planes->data[plane], planes->stride[plane], width_of(planes, plane), height_of(planes, plane),
        halves_x ? divisor / 2 : divisor, halves_y ? divisor / 2 : divisor, shrunk->data[plane],
        shrunk->stride[plane], planes->depth > 8, sums);
  }
  free(sums);
  return true;
}

bool cpx_planes_expand_range(const cpx_planes *planes, cpx_planes *expanded) {
  if (!cpx_planes_allocate(expanded, planes->width, planes->height, planes->depth, CPX_CHROMA_NONE)) return false;
  const int32_t shift = (int32_t)planes->depth - 8;
  const int32_t maximum = (1 << planes->depth) - 1, black = 16 << shift, span = 219 << shift;
  for (uint32_t y = 0; y < planes->height; y++) {
    const uint8_t *from = planes->data[0] + (size_t)y * planes->stride[0];
    uint8_t *to = expanded->data[0] + (size_t)y * expanded->stride[0];
    for (uint32_t x = 0; x < planes->width; x++) {
      int32_t value = (planes->depth > 8 ? ((const uint16_t *)(const void *)from)[x] : from[x]) - black;
      value = value < 0 ? 0 : value > span ? span : value;
      value = (value * maximum + span / 2) / span;
      if (planes->depth > 8) ((uint16_t *)(void *)to)[x] = (uint16_t)value;
      else to[x] = (uint8_t)value;
    }
  }
  return true;
}
