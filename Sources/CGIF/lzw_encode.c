#include "cgif.h"

#include <string.h>

// A hash of the code of all but the last pixel, and of that pixel, finds a string.

enum { SLOTS = CGIF_LZW_SLOTS, MAX_CODES = 4096 };

static void clear_table(cgif_lzw_encoder *lzw) {
  memset(lzw->keys, 0xff, sizeof lzw->keys);
  lzw->next_code = (1u << lzw->minimum_code_size) + 2;
  lzw->code_width = lzw->minimum_code_size + 1;
}

static uint8_t *close_block(cgif_lzw_encoder *lzw, uint8_t *out) {
  if (lzw->block_length > 0) {
    *out++ = (uint8_t)lzw->block_length;
    memcpy(out, lzw->block, lzw->block_length);
    out += lzw->block_length;
    lzw->block_length = 0;
  }
  return out;
}

static uint8_t *put_code(cgif_lzw_encoder *lzw, uint32_t code, uint8_t *out) {
  lzw->bits |= code << lzw->bit_count;
  lzw->bit_count += lzw->code_width;
  while (lzw->bit_count >= 8) {
    lzw->block[lzw->block_length++] = (uint8_t)lzw->bits;
    lzw->bits >>= 8;
    lzw->bit_count -= 8;
    if (lzw->block_length == 255) out = close_block(lzw, out);
  }
  return out;
}

void cgif_lzw_encode_start(cgif_lzw_encoder *lzw, uint32_t minimum_code_size) {
  lzw->bits = 0;
  lzw->bit_count = 0;
  lzw->minimum_code_size = minimum_code_size;
  lzw->has_prefix = 0;
  lzw->block_length = 0;
  lzw->prefix = 0;
  clear_table(lzw);
}

size_t cgif_lzw_encode(cgif_lzw_encoder *lzw, const uint8_t *pixels, size_t count, uint8_t *bytes) {
  uint8_t *out = bytes;
  const uint32_t clear_code = 1u << lzw->minimum_code_size;
  size_t i = 0;
  if (!lzw->has_prefix && count > 0) {
    out = put_code(lzw, clear_code, out);
    lzw->prefix = pixels[i++];
    lzw->has_prefix = 1;
  }
  uint32_t prefix = lzw->prefix;
  for (; i < count; i++) {
    const uint32_t key = prefix << 8 | pixels[i];
    uint32_t slot = (key * 2654435769u) >> (32 - CGIF_LZW_SLOT_BITS);
    while (lzw->keys[slot] != key && lzw->keys[slot] != UINT32_MAX) slot = (slot + 1) & (SLOTS - 1);
    if (lzw->keys[slot] == key) {
      prefix = lzw->codes[slot];
      continue;
    }
    out = put_code(lzw, prefix, out);
    prefix = pixels[i];
    lzw->keys[slot] = key;
    lzw->codes[slot] = (uint16_t)lzw->next_code;
    // A decoder knows this code one step later: only then does it need the width.
    if (lzw->next_code >= 1u << lzw->code_width) lzw->code_width += 1;
    lzw->next_code += 1;
    if (lzw->next_code == MAX_CODES) {
      out = put_code(lzw, clear_code, out);
      clear_table(lzw);
    }
  }
  lzw->prefix = prefix;
  return (size_t)(out - bytes);
}

size_t cgif_lzw_encode_end(cgif_lzw_encoder *lzw, uint8_t *bytes) {
  uint8_t *out = bytes;
  const uint32_t clear_code = 1u << lzw->minimum_code_size;
  if (lzw->has_prefix) {
    out = put_code(lzw, lzw->prefix, out);
    if (lzw->next_code >= 1u << lzw->code_width) lzw->code_width += 1;
  } else {
    out = put_code(lzw, clear_code, out);
  }
  out = put_code(lzw, clear_code + 1, out);
  if (lzw->bit_count > 0) {
    lzw->block[lzw->block_length++] = (uint8_t)lzw->bits;
    lzw->bits = 0;
    lzw->bit_count = 0;
  }
  out = close_block(lzw, out);
  *out++ = 0;
  return (size_t)(out - bytes);
}
