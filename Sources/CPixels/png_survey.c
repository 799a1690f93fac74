#include "cpng.h"
#include <string.h>

static uint32_t pixel(const uint8_t *pixels, size_t at) {
  uint32_t p;
  memcpy(&p, pixels + 4 * at, 4);
  return p;
}

static uint32_t rgba(uint8_t r, uint8_t g, uint8_t b, uint8_t a) {
  const uint8_t bytes[4] = {r, g, b, a};
  return pixel(bytes, 0);
}

static uint8_t channel(uint32_t p, int index) {
  uint8_t bytes[4];
  memcpy(bytes, &p, 4);
  return bytes[index];
}

static unsigned slot_of(uint32_t color) { return color * 2654435769u >> 22; }

/// Returns the slot of a colour, or the free one where it belongs: there are four times as many slots as colours.
static unsigned find(const cpng_survey *survey, uint32_t color) {
  unsigned slot = slot_of(color);
  while (survey->slots[slot] && survey->colors[survey->slots[slot] - 1] != color)
    slot = (slot + 1) & (CPNG_COLOR_SLOTS - 1);
  return slot;
}

static void add(cpng_survey *survey, uint32_t color) {
  if (survey->color_count > CPNG_MOST_COLORS) return;
  const unsigned slot = find(survey, color);
  if (survey->slots[slot]) {
    survey->counts[survey->slots[slot] - 1] += 1;
    return;
  }
  const uint8_t r = channel(color, 0), g = channel(color, 1), b = channel(color, 2), a = channel(color, 3);
  survey->has_color |= r != g || g != b;
  survey->has_alpha |= a != 255;
  survey->has_partial_alpha |= a != 255 && a != 0;
  if (a == 0) {
    if (survey->hidden_colors < 2) survey->hidden_colors += 1;
    if (survey->hidden_colors == 1) survey->hidden = color;
  }
  if (survey->color_count == CPNG_MOST_COLORS) {
    survey->color_count += 1;
    return;
  }
  survey->colors[survey->color_count] = color;
  survey->counts[survey->color_count] = 1;
  survey->color_count += 1;
  survey->slots[slot] = (uint16_t)survey->color_count;
}

/// Adds pixels when there are more colours than are kept.
static void add_many(cpng_survey *survey, const uint8_t *pixels, size_t count, int clears) {
  if (!survey->has_color || !survey->has_alpha) {
    uint8_t color = 0, alpha = 255;
    for (size_t x = 0; x < count; x++) {
      // With `clears`, the colour of a fully transparent pixel does not count.
      const uint8_t counts = (uint8_t)(clears && pixels[4 * x + 3] == 0 ? 0 : 255);
      color |= ((pixels[4 * x] ^ pixels[4 * x + 1]) | (pixels[4 * x + 1] ^ pixels[4 * x + 2])) & counts;
      alpha &= pixels[4 * x + 3];
    }
    survey->has_color |= color != 0;
    survey->has_alpha |= alpha != 255;
  }
  if (!survey->has_alpha) return;
  for (size_t x = 0; x < count && !(survey->has_partial_alpha && survey->hidden_colors > 1); x++) {
    const uint8_t a = pixels[4 * x + 3];
    if (a == 255) continue;
    if (a != 0) {
      survey->has_partial_alpha = 1;
      continue;
    }
    const uint32_t p = clears ? 0 : pixel(pixels, x);
    if (survey->hidden_colors == 0) {
      survey->hidden_colors = 1;
      survey->hidden = p;
    } else if (p != survey->hidden) {
      survey->hidden_colors = 2;
    }
  }
}

void cpng_survey_rgba(cpng_survey *survey, const uint8_t *pixels, size_t count, int clears) {
  size_t x = 0;
  uint32_t last = 0;
  for (int has_last = 0; x < count && survey->color_count <= CPNG_MOST_COLORS; x++) {
    uint32_t p = pixel(pixels, x);
    if (clears && channel(p, 3) == 0) p = 0;
    if (has_last && p == last) continue;
    add(survey, p);
    last = p;
    has_last = 1;
  }
  if (x < count) add_many(survey, pixels + 4 * x, count - x, clears);
}

void cpng_survey_gray(cpng_survey *survey, const uint8_t *pixels, size_t count) {
  for (size_t x = 0; x < count; x++) {
    const uint8_t v = pixels[x];
    if (x == 0 || v != pixels[x - 1]) add(survey, rgba(v, v, v, 255));
  }
}

void cpng_survey_rgba16(cpng_survey16 *survey, const uint8_t *pixels, size_t count) {
  uint16_t color = 0, alpha = 0xffff, needs16 = 0;
  for (size_t x = 0; x < count; x++) {
    uint16_t p[4];
    memcpy(p, pixels + 8 * x, 8);
    color |= (p[0] ^ p[1]) | (p[1] ^ p[2]);
    alpha &= p[3];
    for (int c = 0; c < 4; c++) needs16 |= (p[c] >> 8) ^ (p[c] & 255);
  }
  survey->has_color |= color != 0;
  survey->has_alpha |= alpha != 0xffff;
  survey->needs16 |= needs16 != 0;
}

int cpng_is_opaque(const uint8_t *pixels, size_t count, int bytes_per_pixel) {
  if (bytes_per_pixel == 4) {
    uint8_t all = 255;
    for (size_t x = 0; x < count; x++) all &= pixels[4 * x + 3];
    return all == 255;
  }
  uint16_t all = 0xffff;
  for (size_t x = 0; x < count; x++) {
    uint16_t alpha;
    memcpy(&alpha, pixels + 8 * x + 6, 2);
    all &= alpha;
  }
  return all == 0xffff;
}

int cpng_has_opaque(const uint8_t *pixels, size_t count, uint32_t color) {
  const uint32_t wanted = rgba(channel(color, 0), channel(color, 1), channel(color, 2), 255);
  int found = 0;
  for (size_t x = 0; x < count; x++) found |= pixel(pixels, x) == wanted;
  return found;
}

// Samples.

static void pack(const uint8_t *samples, size_t count, int depth, uint8_t *out) {
  unsigned byte = 0;
  int used = 0;
  for (size_t x = 0; x < count; x++) {
    byte = byte << depth | samples[x];
    used += depth;
    if (used == 8) {
      *out++ = (uint8_t)byte;
      byte = 0;
      used = 0;
    }
  }
  if (used > 0) *out = (uint8_t)(byte << (8 - used));
}

static void store_indices(const cpng_store *store, const uint8_t *pixels, size_t count, uint8_t *out) {
  uint32_t last = 0;
  uint8_t index = 0;
  for (size_t x = 0; x < count; x++) {
    const uint8_t v = pixels[store->bytes_per_pixel == 1 ? x : 0];
    uint32_t p = store->bytes_per_pixel == 1 ? rgba(v, v, v, 255) : pixel(pixels, x);
    if (store->clears && channel(p, 3) == 0) p = 0;
    if (x == 0 || p != last) {
      const uint16_t place = store->survey->slots[find(store->survey, p)];
      index = place ? store->order[place - 1] : 0;
      last = p;
    }
    out[x] = index;
  }
}

/// Writes one byte for each pixel: its grey, as a number of `depth` bits, or its index.
static void store_bytes(const cpng_store *store, const uint8_t *pixels, size_t count, uint8_t *out) {
  if (store->samples == CPNG_STORE_INDEX) return store_indices(store, pixels, count, out);
  if (store->bytes_per_pixel == 1) {
    memcpy(out, pixels, count);
  } else {
    for (size_t x = 0; x < count; x++)
      out[x] = store->clears && pixels[4 * x + 3] == 0 ? 0 : pixels[4 * x];
  }
  // Indices that are there already need no scaling.
  if (store->samples == CPNG_STORE_GRAY && store->depth < 8)
    for (size_t x = 0; x < count; x++) out[x] = (uint8_t)(out[x] >> (8 - store->depth));
}

static void store16(const cpng_store *store, const uint8_t *pixels, size_t count, uint8_t *out) {
  static const int channels[5][4] = {{0, 1, 2, 3}, {0, 1, 2}, {0}, {0, 3}, {0}};
  static const int counts[5] = {4, 3, 1, 2, 0};
  const int *places = channels[store->samples], samples = counts[store->samples];
  for (size_t x = 0; x < count; x++) {
    for (int c = 0; c < samples; c++) {
      uint16_t v;
      memcpy(&v, pixels + 8 * x + 2 * places[c], 2);
      *out++ = (uint8_t)(v >> 8);
      *out++ = (uint8_t)v;
    }
  }
}

void cpng_store_row(const cpng_store *store, const uint8_t *pixels, size_t count, uint8_t *out, uint8_t *scratch) {
  if (store->bytes_per_pixel == 8) return store16(store, pixels, count, out);
  if (store->depth < 8) {
    store_bytes(store, pixels, count, scratch);
    return pack(scratch, count, store->depth, out);
  }
  if (store->bytes_per_pixel == 1 || store->samples == CPNG_STORE_GRAY || store->samples == CPNG_STORE_INDEX)
    return store_bytes(store, pixels, count, out);
  switch (store->samples) {
    case CPNG_STORE_RGB:
      for (size_t x = 0; x < count; x++) {
        const uint8_t hides = (uint8_t)(store->clears && pixels[4 * x + 3] == 0 ? 0 : 255);
        for (int c = 0; c < 3; c++) out[3 * x + c] = pixels[4 * x + c] & hides;
      }
      return;
    case CPNG_STORE_GRAY_ALPHA:
      for (size_t x = 0; x < count; x++) {
        const uint8_t hides = (uint8_t)(store->clears && pixels[4 * x + 3] == 0 ? 0 : 255);
        out[2 * x] = pixels[4 * x] & hides;
        out[2 * x + 1] = pixels[4 * x + 3];
      }
      return;
    default:
      memcpy(out, pixels, 4 * count);
      if (!store->clears) return;
      for (size_t x = 0; x < count; x++)
        if (out[4 * x + 3] == 0) memset(out + 4 * x, 0, 3);
  }
}
