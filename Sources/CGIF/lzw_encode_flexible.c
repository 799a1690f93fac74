#include "cgif.h"

#include <stdlib.h>
#include <string.h>

// Each pixel has a set of indices that show it well enough. The strings of the table are a tree; among those that the
// following pixels allow, the longest one is written.

enum {
  MAX_CODES = 4096,
  NONE = 0xffff,
  /// Pixels after which the rate of a full table is judged.
  WINDOW = 2048,
};

/// A full table is given up when it compresses worse than this share of its best.
static const double WORTH = 0.97;

typedef struct {
  const cgif_lzw_picture *picture;
  size_t count;
  uint16_t child[MAX_CODES], sibling[MAX_CODES];
  uint8_t value[MAX_CODES];
  uint32_t next_code, code_width, clear_code;
  // Output.
  uint8_t *out;
  uint32_t bits, bit_count, block_length;
  uint8_t block[256];
  size_t total_bits;
} coder;

typedef struct {
  uint32_t node;
  size_t length;
  uint64_t error;
  /// The error of the last pixels that is still to be made up for, in 16ths of a level.
  int32_t carry[3];
} match;

static void clear(coder *c) {
  c->next_code = c->clear_code + 2;
  c->code_width = c->picture->minimum_code_size + 1;
  memset(c->child, 0xff, c->clear_code * sizeof *c->child);
}

static void close_block(coder *c) {
  if (c->block_length == 0) return;
  *c->out++ = (uint8_t)c->block_length;
  memcpy(c->out, c->block, c->block_length);
  c->out += c->block_length;
  c->block_length = 0;
}

static void put_byte(coder *c, uint8_t byte) {
  c->block[c->block_length++] = byte;
  if (c->block_length == 255) close_block(c);
}

static void put(coder *c, uint32_t code) {
  c->bits |= code << c->bit_count;
  c->bit_count += c->code_width;
  c->total_bits += c->code_width;
  while (c->bit_count >= 8) {
    put_byte(c, (uint8_t)c->bits);
    c->bits >>= 8;
    c->bit_count -= 8;
  }
}

/// Adds a pixel that is shown by an index to a match. Returns 0 if it must not be shown so. The error is the mean of that of
/// the pixel and that of its neighbourhood, which dithering evens out.
static inline int extend(const cgif_lzw_picture *p, size_t at, uint8_t index, match *m) {
  const uint8_t exact = p->indices[at];
  // A transparent pixel shows what is below.
  if (index == p->transparent || exact == p->transparent) {
    memset(m->carry, 0, sizeof m->carry);
    return index == exact || (index == p->transparent && p->unchanged && p->unchanged[at]);
  }
  if (!p->colors) {
    // Of strings of one length, the one with more transparent pixels is more likely to come again.
    m->error += p->unchanged && p->unchanged[at];
    return index == exact;
  }
  static const int weights[3] = {2, 4, 1};
  uint64_t error = 0, plain = 0;
  for (int k = 0; k < 3; k++) {
    const int32_t d0 = (p->colors[4 * exact + k] - p->colors[4 * index + k]) * 16;
    const int32_t d = d0 + m->carry[k];
    error += (uint64_t)(weights[k] * (int64_t)d * d);
    plain += (uint64_t)(weights[k] * (int64_t)d0 * d0);
    m->carry[k] = d * 3 / 4;
  }
  error = (plain + error) / 2;
  m->error += error;
  return index == exact || error <= (uint64_t)p->tolerance * 256;
}

/// Returns 1 if each pixel is shown by its index alone.
static inline int is_exact(const cgif_lzw_picture *p) { return !p->colors && !p->unchanged; }

/// Finds the longest string that begins with the node of `first` and that the pixels from `at` allow.
static match longest(const coder *c, size_t at, uint8_t first, const int32_t carry[3]) {
  enum { DEPTH = 512, VISITS = 2048 };
  const cgif_lzw_picture *p = c->picture;
  match stack[DEPTH], best = {first, 1, 0, {carry[0], carry[1], carry[2]}};
  const int exact = is_exact(p);
  if (!exact && !extend(p, at, first, &best)) return (match){0};
  int depth = 0;
  stack[depth++] = best;
  for (int visits = 0; depth > 0 && visits < VISITS; visits++) {
    match m = stack[--depth];
    for (;;) {
      if (m.length > best.length || (m.length == best.length && m.error < best.error)) best = m;
      if (at + m.length >= c->count) break;
      match next = {0};
      for (uint32_t n = c->child[m.node]; n != NONE; n = c->sibling[n]) {
        match longer = m;
        if (exact) {
          if (c->value[n] != p->indices[at + m.length]) continue;
        } else if (!extend(p, at + m.length, c->value[n], &longer)) {
          continue;
        }
        if (next.length > 0 && depth < DEPTH) stack[depth++] = next;
        longer.node = n;
        longer.length += 1;
        next = longer;
        if (exact) break;
      }
      if (next.length == 0) break;
      m = next;
    }
  }
  return best;
}

size_t cgif_lzw_encode_flexible(
    const cgif_lzw_picture *picture, size_t count, int defers, int (*is_cancelled)(void), uint8_t *bytes) {
  coder *c = malloc(sizeof *c);
  if (!c) return 0;
  *c = (coder){.picture = picture, .count = count, .out = bytes, .clear_code = 1u << picture->minimum_code_size};
  for (uint32_t i = 0; i < c->clear_code; i++) c->value[i] = (uint8_t)i;
  clear(c);
  put(c, c->clear_code);
  uint32_t previous = NONE;
  size_t at = 0, window_at = 0, window_bits = 0;
  double best_rate = 0;
  int32_t carry[3] = {0};
  for (uint32_t codes = 0; at < count; codes++) {
    if (codes % 4096 == 0 && is_cancelled()) {
      free(c);
      return 0;
    }
    uint8_t firsts[256] = {picture->indices[at]};
    int choices = 1;
    if (picture->colors) {
      for (uint32_t i = 0; i < c->clear_code; i++)
        if (i != picture->indices[at]) firsts[choices++] = (uint8_t)i;
    } else if (picture->unchanged && picture->unchanged[at] && picture->transparent != picture->indices[at]) {
      firsts[choices++] = (uint8_t)picture->transparent;
    }
    match best = {0};
    uint8_t chosen = 0;
    const int adds = previous != NONE && c->next_code < MAX_CODES;
    for (int i = 0; i < choices; i++) {
      // The decoder knows the last string with this pixel behind it already.
      if (adds) {
        c->value[c->next_code] = firsts[i];
        c->child[c->next_code] = NONE;
        c->sibling[c->next_code] = c->child[previous];
        c->child[previous] = (uint16_t)c->next_code;
      }
      const match m = longest(c, at, firsts[i], carry);
      if (adds) c->child[previous] = c->sibling[c->next_code];
      if (m.length > best.length || (m.length == best.length && m.error < best.error)) {
        best = m;
        chosen = firsts[i];
      }
    }
    if (adds) {
      c->value[c->next_code] = chosen;
      c->child[c->next_code] = NONE;
      c->sibling[c->next_code] = c->child[previous];
      c->child[previous] = (uint16_t)c->next_code;
      if (c->next_code >= 1u << c->code_width) c->code_width += 1;
      c->next_code += 1;
    }
    put(c, best.node);
    at += best.length;
    memcpy(carry, best.carry, sizeof carry);
    previous = best.node;
    if (c->next_code < MAX_CODES) continue;
    int clears = !defers;
    if (defers) {
      if (window_at == 0) {
        window_at = at;
        window_bits = c->total_bits;
        best_rate = 0;
      } else if (at - window_at >= WINDOW) {
        const double rate = (double)(at - window_at) / (double)(c->total_bits - window_bits);
        clears = rate < WORTH * best_rate;
        if (rate > best_rate) best_rate = rate;
        window_at = at;
        window_bits = c->total_bits;
      }
    }
    if (clears && at < count) {
      put(c, c->clear_code);
      clear(c);
      previous = NONE;
      window_at = 0;
    }
  }
  // The decoder adds a string for the last code too.
  if (previous != NONE && c->next_code < MAX_CODES && c->next_code >= 1u << c->code_width) c->code_width += 1;
  put(c, c->clear_code + 1);
  if (c->bit_count > 0) put_byte(c, (uint8_t)c->bits);
  close_block(c);
  *c->out++ = 0;
  const size_t written = (size_t)(c->out - bytes);
  free(c);
  return written;
}
