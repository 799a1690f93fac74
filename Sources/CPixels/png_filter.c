#include "cpng.h"
#include <stdlib.h>
#include <string.h>

// The bodies are plain loops that the compiler vectorises for each level, with the same results.
#define BODY static inline __attribute__((always_inline))

/// Returns the cost of a filtered byte: its distance from zero, as a signed number.
BODY unsigned weight(uint8_t v) { return v < 128 ? v : 256u - v; }

BODY uint8_t paeth(uint8_t left, uint8_t above, uint8_t corner) {
  const int16_t a = left, b = above, c = corner;
  const int16_t x = (int16_t)(b - c), y = (int16_t)(a - c), z = (int16_t)(x + y);
  const int16_t pa = x < 0 ? (int16_t)-x : x, pb = y < 0 ? (int16_t)-y : y, pc = z < 0 ? (int16_t)-z : z;
  const int16_t upper = pb <= pc ? b : c;
  return (uint8_t)((pa <= pb && pa <= pc) ? a : upper);
}

BODY uint64_t total(const uint8_t *bytes, size_t count) {
  uint64_t sum = 0;
  while (count > 0) {
    // Runs are short, so that narrow sums cannot overflow.
    const size_t run = count < 4096 ? count : 4096;
    uint32_t part = 0;
    for (size_t i = 0; i < run; i++) part += weight(bytes[i]);
    sum += part;
    bytes += run;
    count -= run;
  }
  return sum;
}

BODY void make(int filter, const uint8_t *restrict row, const uint8_t *restrict prior, size_t bytes, size_t step,
               uint8_t *restrict out) {
  const size_t head = step < bytes ? step : bytes;
  switch (filter) {
    case 0: memcpy(out, row, bytes); break;
    case 1:
      memcpy(out, row, head);
      for (size_t i = head; i < bytes; i++) out[i] = (uint8_t)(row[i] - row[i - step]);
      break;
    case 2:
      for (size_t i = 0; i < bytes; i++) out[i] = (uint8_t)(row[i] - prior[i]);
      break;
    case 3:
      for (size_t i = 0; i < head; i++) out[i] = (uint8_t)(row[i] - prior[i] / 2);
      for (size_t i = head; i < bytes; i++)
        out[i] = (uint8_t)(row[i] - (uint8_t)(((uint16_t)row[i - step] + prior[i]) >> 1));
      break;
    default:
      for (size_t i = 0; i < head; i++) out[i] = (uint8_t)(row[i] - prior[i]);
      for (size_t i = head; i < bytes; i++)
        out[i] = (uint8_t)(row[i] - paeth(row[i - step], prior[i], prior[i - step]));
      break;
  }
}

BODY int choose(const uint8_t *row, const uint8_t *prior, size_t bytes, size_t step, uint8_t *out,
                uint8_t *scratch) {
  uint8_t *best = out + 1, *next = scratch;
  int chosen = 0;
  make(0, row, prior, bytes, step, best);
  uint64_t least = total(best, bytes);
  // Without a row above, the other filters equal one of these or are worse.
  for (int filter = 1; filter <= (prior ? 4 : 1); filter++) {
    switch (filter) {
      case 1: make(1, row, prior, bytes, step, next); break;
      case 2: make(2, row, prior, bytes, step, next); break;
      case 3: make(3, row, prior, bytes, step, next); break;
      default: make(4, row, prior, bytes, step, next); break;
    }
    const uint64_t sum = total(next, bytes);
    if (sum < least) {
      least = sum;
      chosen = filter;
      uint8_t *swap = best;
      best = next;
      next = swap;
    }
  }
  if (best != out + 1) memcpy(out + 1, best, bytes);
  out[0] = (uint8_t)chosen;
  return chosen;
}

static int choose_portable(const uint8_t *row, const uint8_t *prior, size_t bytes, size_t step, uint8_t *out,
                           uint8_t *scratch) {
  return choose(row, prior, bytes, step, out, scratch);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static int choose_avx2(const uint8_t *row, const uint8_t *prior, size_t bytes,
                                                       size_t step, uint8_t *out, uint8_t *scratch) {
  return choose(row, prior, bytes, step, out, scratch);
}
#endif

int cpng_filter(const uint8_t *row, const uint8_t *prior, size_t bytes, int step, uint8_t *out, uint8_t *scratch,
                cpx_level level) {
#if defined(__x86_64__)
  if (level >= CPX_LEVEL_SIMD256) return choose_avx2(row, prior, bytes, (size_t)step, out, scratch);
#endif
  (void)level;
  return choose_portable(row, prior, bytes, (size_t)step, out, scratch);
}

/// Returns the number of different pairs of neighbouring bytes. `seen` has 65,536 bits.
static unsigned pairs(const uint8_t *bytes, size_t count, uint64_t *seen) {
  memset(seen, 0, 65536 / 8);
  unsigned different = 0;
  for (size_t i = 1; i < count; i++) {
    const unsigned pair = (unsigned)bytes[i - 1] << 8 | bytes[i];
    const uint64_t bit = (uint64_t)1 << (pair & 63);
    different += (seen[pair >> 6] & bit) == 0;
    seen[pair >> 6] |= bit;
  }
  return different;
}

int cpng_filter_pairs(const uint8_t *row, const uint8_t *prior, size_t bytes, int step, uint8_t *out,
                      uint8_t *scratch) {
  uint64_t seen[65536 / 64];
  uint8_t *best = out + 1, *next = scratch;
  int chosen = 0;
  memcpy(best, row, bytes);
  unsigned least = pairs(best, bytes, seen);
  for (int filter = 1; filter <= (prior ? 4 : 1); filter++) {
    make(filter, row, prior, bytes, (size_t)step, next);
    const unsigned count = pairs(next, bytes, seen);
    if (count >= least) continue;
    least = count;
    chosen = filter;
    uint8_t *swap = best;
    best = next;
    next = swap;
  }
  if (best != out + 1) memcpy(out + 1, best, bytes);
  out[0] = (uint8_t)chosen;
  return chosen;
}
