#include "blend.h"
#include "craster.h"
#include <string.h>

void cpx_weigh(const uint8_t pixel[4], uint8_t weighed[4]) {
  for (int c = 0; c < 3; c++) weighed[c] = (uint8_t)divided_by_255((uint32_t)pixel[c] * pixel[3]);
  weighed[3] = pixel[3];
}

static inline int differs(const uint8_t *pixel, const cpx_plain *plain) {
  uint8_t weighed[4];
  cpx_weigh(pixel, weighed);
  if (plain->has_ground) {
    for (int c = 0; c < 3; c++)
      weighed[c] = (uint8_t)divided_by_255(pixel[c] * (uint32_t)pixel[3] + plain->ground[c] * (255u - pixel[3]));
    weighed[3] = 255;
  }
  int32_t largest = 0;
  for (int c = 0; c < 4; c++) {
    const int32_t difference = weighed[c] > plain->key[c] ? weighed[c] - plain->key[c] : plain->key[c] - weighed[c];
    largest = difference > largest ? difference : largest;
  }
  return largest > plain->tolerance;
}

size_t cpx_first_different(const uint8_t *pixels, size_t count, const cpx_plain *plain) {
  size_t index = 0;
  while (index < count && !differs(pixels + 4 * index, plain)) index++;
  return index;
}

size_t cpx_end_of_different(const uint8_t *pixels, size_t count, const cpx_plain *plain) {
  while (count > 0 && !differs(pixels + 4 * (count - 1), plain)) count--;
  return count;
}

static void fill(uint8_t *target, size_t count, const uint8_t color[4]) {
  uint32_t pixel;
  memcpy(&pixel, color, 4);
  for (size_t i = 0; i < count; i++) memcpy(target + 4 * i, &pixel, 4);
}

/// Returns the position of index 0 of a padded line in the line and its mirror image: 0..<2 * count.
static size_t mirrored_start(size_t before, size_t count) {
  const size_t period = 2 * count;
  return (period - before % period) % period;
}

static inline size_t mirrored(size_t position, size_t count) {
  return position < count ? position : 2 * count - 1 - position;
}

static void mirror(const uint8_t *row, size_t width, size_t position, uint8_t *target, size_t count) {
  for (size_t i = 0; i < count; i++) {
    memcpy(target + 4 * i, row + 4 * mirrored(position, width), 4);
    position = position + 1 == 2 * width ? 0 : position + 1;
  }
}

void cpx_pad_rows(const cpx_pad *pad, size_t first, size_t last) {
  const size_t right = pad->target_width - pad->left - pad->width;
  for (size_t y = first; y < last; y++) {
    uint8_t *out = pad->target + 4 * y * pad->target_width;
    const int inside = y >= pad->top && y - pad->top < pad->height;
    size_t row = y - pad->top;
    if (pad->edge == CPX_EDGE_COLOR && !inside) {
      fill(out, pad->target_width, pad->color);
      continue;
    }
    if (pad->edge == CPX_EDGE_REPEAT && !inside) row = y < pad->top ? 0 : pad->height - 1;
    if (pad->edge == CPX_EDGE_MIRROR && !inside) {
      const size_t start = mirrored_start(pad->top, pad->height);
      row = mirrored((start + y) % (2 * pad->height), pad->height);
    }
    const uint8_t *in = pad->source + 4 * row * pad->width;
    uint8_t *behind = out + 4 * (pad->left + pad->width);
    memcpy(out + 4 * pad->left, in, 4 * pad->width);
    if (pad->edge == CPX_EDGE_MIRROR) {
      mirror(in, pad->width, mirrored_start(pad->left, pad->width), out, pad->left);
      mirror(in, pad->width, pad->width, behind, right);
    } else {
      const int repeat = pad->edge == CPX_EDGE_REPEAT;
      fill(out, pad->left, repeat ? in : pad->color);
      fill(behind, right, repeat ? in + 4 * (pad->width - 1) : pad->color);
    }
  }
}

void cpx_flatten(const uint8_t *source, uint8_t *target, size_t count, const uint8_t color[4]) {
  for (size_t i = 0; i < count; i++, source += 4, target += 4) {
    const uint32_t alpha = source[3];
    for (int c = 0; c < 3; c++)
      target[c] = (uint8_t)divided_by_255(source[c] * alpha + color[c] * (255 - alpha));
    target[3] = 255;
  }
}

void cpx_flatten_translucent(const uint8_t *source, uint8_t *target, size_t count, const uint8_t color[4]) {
  for (size_t i = 0; i < count; i++, source += 4, target += 4) {
    const uint32_t above = source[3] * 255u, below = color[3] * (255u - source[3]), sum = above + below;
    // Transparent pixels above no colour have none.
    const uint32_t divisor = sum ? sum : 1;
    for (int c = 0; c < 3; c++) target[c] = (uint8_t)((source[c] * above + color[c] * below + sum / 2) / divisor);
    target[3] = (uint8_t)divided_by_255(sum);
  }
}

void cpx_cross_fade(const uint8_t *from, const uint8_t *to, uint8_t *out, size_t count, uint32_t progress,
                    int is_opaque) {
  const uint32_t one = 4096, rest = one - progress;
  if (is_opaque) {
    for (size_t i = 0; i < 4 * count; i++) out[i] = (uint8_t)((from[i] * rest + to[i] * progress + one / 2) / one);
    return;
  }
  for (size_t i = 0; i < count; i++, from += 4, to += 4, out += 4) {
    const uint32_t weight_from = from[3] * rest, weight_to = to[3] * progress, sum = weight_from + weight_to;
    // Transparent pixels have no colour.
    const uint32_t divisor = sum ? sum : 1;
    for (int c = 0; c < 3; c++)
      out[c] = (uint8_t)((from[c] * weight_from + to[c] * weight_to + sum / 2) / divisor);
    out[3] = (uint8_t)((sum + one / 2) / one);
  }
}

/// Returns the non-negative remainder.
static int64_t modulo(int64_t value, int64_t period) {
  const int64_t rest = value % period;
  return rest < 0 ? rest + period : rest;
}

void cpx_overlay_rows(const cpx_overlay *o, size_t first, size_t last) {
  const int64_t width = (int64_t)o->width, overlay_width = (int64_t)o->overlay_width;
  memcpy(o->target + 4 * first * o->width, o->source + 4 * first * o->width, 4 * (last - first) * o->width);
  for (size_t y = first; y < last; y++) {
    int64_t row = (int64_t)y - o->y;
    if (o->period_y > 0) row = modulo(row, o->period_y);
    if (row < 0 || row >= (int64_t)o->overlay_height) continue;
    uint8_t *out = o->target + 4 * y * o->width;
    const uint8_t *in = o->overlay + 4 * (size_t)row * o->overlay_width;
    // The loop starts at the first copy that may be visible.
    int64_t start = o->period_x > 0 ? modulo(o->x, o->period_x) - o->period_x : o->x;
    do {
      const int64_t from = start < 0 ? 0 : start;
      const int64_t to = start + overlay_width < width ? start + overlay_width : width;
      for (int64_t x = from; x < to; x++) {
        const uint8_t *above = in + 4 * (x - start);
        blend(out + 4 * x, above, above[3] * o->opacity);
      }
      start += o->period_x;
    } while (o->period_x > 0 && start < width);
  }
}
