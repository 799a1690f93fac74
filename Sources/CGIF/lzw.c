#include "cgif.h"

#include <string.h>

// The table stores no strings. Every string is the previous output plus the first pixel of the next, and is contiguous
// in the pixels already written: an entry is a position and a length, and decoding a code is one forward copy.

void cgif_lzw_start(cgif_lzw *lzw, uint32_t minimum_code_size) {
  lzw->bits = 0;
  lzw->bit_count = 0;
  lzw->minimum_code_size = minimum_code_size;
  lzw->code_width = minimum_code_size + 1;
  lzw->next_code = (1u << minimum_code_size) + 2;
  lzw->previous_position = 0;
  lzw->previous_length = 0;
  lzw->written = 0;
}

static inline uint64_t load64(const uint8_t *p) {
  uint64_t value;
  memcpy(&value, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

// Copies in steps of 8 bytes and may write up to 7 more. The source ends where the target starts, or before; the next
// string overwrites the excess of a step.
static inline void copy_string(uint8_t *target, const uint8_t *source, uint32_t length) {
  uint32_t done = 0;
  do {
    uint64_t chunk;
    memcpy(&chunk, source + done, 8);
    memcpy(target + done, &chunk, 8);
    done += 8;
  } while (done < length);
}

cgif_lzw_status cgif_lzw_feed(
    cgif_lzw *lzw, const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity) {
  const uint8_t *end = bytes + count;
  const uint32_t clear_code = 1u << lzw->minimum_code_size;
  uint64_t bits = lzw->bits;
  uint32_t bit_count = lzw->bit_count;
  uint32_t width = lzw->code_width;
  uint32_t next = lzw->next_code;
  uint32_t previous_position = lzw->previous_position;
  uint32_t previous_length = lzw->previous_length;
  size_t written = lzw->written;
  cgif_lzw_status status = CGIF_LZW_MORE;

  while (1) {
    if (written >= capacity) {
      status = CGIF_LZW_FULL;
      break;
    }
    if (bit_count < width) {
      if (end - bytes >= 8) {
        // Bits above `bit_count` belong to bytes not yet counted; they are set to the same values again.
        bits |= load64(bytes) << bit_count;
        bytes += (63 - bit_count) >> 3;
        bit_count |= 56;
      } else {
        while (bit_count < width && bytes < end) {
          bits |= (uint64_t)*bytes++ << bit_count;
          bit_count += 8;
        }
        if (bit_count < width) break;
      }
    }
    const uint32_t code = (uint32_t)bits & ((1u << width) - 1);
    bits >>= width;
    bit_count -= width;

    uint32_t length;
    const size_t room = capacity - written;
    if (code < clear_code) {
      pixels[written] = (uint8_t)code;
      length = 1;
    } else if (code == clear_code) {
      width = lzw->minimum_code_size + 1;
      next = clear_code + 2;
      previous_length = 0;
      continue;
    } else if (code == clear_code + 1) {
      status = CGIF_LZW_END;
      break;
    } else if (code < next) {
      const cgif_lzw_string string = lzw->strings[code];
      length = string.length;
      if (length > room) length = (uint32_t)room;
      copy_string(pixels + written, pixels + string.position, length);
    } else if (code == next && previous_length > 0) {
      // The code may be the string that it adds itself: the previous one and its first pixel. `next` is at most 4095
      // here, because codes have 12 bits at most.
      const uint32_t copied = previous_length > room ? (uint32_t)room : previous_length;
      copy_string(pixels + written, pixels + previous_position, copied);
      length = copied;
      if (copied < room) {
        pixels[written + copied] = pixels[previous_position];
        length = copied + 1;
      }
    } else {
      status = CGIF_LZW_BAD_CODE;
      break;
    }

    // A full table does not change until the encoder clears it ("deferred clear").
    if (previous_length > 0 && next < 4096) {
      lzw->strings[next].position = previous_position;
      lzw->strings[next].length = previous_length + 1;
      next += 1;
    }
    // This is outside of the block above, because with a minimum code size of 1 the first code after a clear code
    // widens.
    if (next >= 1u << width && width < 12) width += 1;
    previous_position = (uint32_t)written;
    previous_length = length;
    written += length;
  }

  lzw->bits = bits;
  lzw->bit_count = bit_count;
  lzw->code_width = width;
  lzw->next_code = next;
  lzw->previous_position = previous_position;
  lzw->previous_length = previous_length;
  lzw->written = written;
  return status;
}
