#include "cjpeg_entropy.h"

#include <stdint.h>
#include <string.h>

// The interface of libjpeg 6b, which libjpeg-turbo has unless it is built to emulate a later one.
#if defined(LIBJPEG_TURBO_VERSION_NUMBER) && JPEG_LIB_VERSION < 70 && BITS_IN_JSAMPLE == 8 && __has_include(<jpegint.h>)

#define JPEG_INTERNALS
#include <jpegint.h>
// jpeglib.h first.
#include <jerror.h>

enum {
  LOOK = 11,        // bits per look-up
  LONGEST = 16,     // bits of the longest code
  SYMBOLS = 256,
  LARGEST_DC = 15,  // bits of the largest difference, as in the library
  TO_THE_END = 64,  // a step behind the last coefficient
};

// The meaning of the next bits: code and value, if both are among the bits of the look-up; otherwise the code alone.
typedef uint32_t entry;
enum {
  LENGTH = 0x1F,     // bits to drop now
  SIZE = 0x1E0,      // bits of a value to read then; all set without a length for longer codes
  SIZE_SHIFT = 5,
  STEP_SHIFT = 9,    // coefficients to skip: those of a run of zeros, TO_THE_END at the end of a block
  STEP = 0x7F,
  VALUE_SHIFT = 16,  // signed
  LONGER = SIZE,
};

typedef struct {
  entry look[1 << LOOK];
  int32_t last[LONGEST + 1];    // the last code of each length; -1 without any
  int32_t offset[LONGEST + 1];  // the offset from a code of each length to its symbol
  uint8_t symbols[SYMBOLS];
  int is_dc;
} table;

typedef struct {
  table *dc, *ac;
  int component;  // index in the scan
  int keeps_dc, keeps_ac;
} block_plan;

// Bits that have been read and not consumed.
typedef struct {
  uint64_t bits;  // the next one on top; zeros, or bits that are read again anyway, below `count`
  int count;      // below zero if more bits were consumed than are present
} bits;

// The state that reading an MCU changes. It is discarded if input is missing within the MCU, which is then read again.
typedef struct {
  bits bits;
  unsigned means[MAX_COMPS_IN_SCAN];
} progress;

typedef struct {
  struct jpeg_entropy_decoder library;  // first, because the library accesses this part
  progress now;
  unsigned until_restart;
  boolean (*read_mcu)(j_decompress_ptr, JBLOCKROW *);
  block_plan blocks[D_MAX_BLOCKS_IN_MCU];
  table *tables[2][NUM_HUFF_TBLS];  // DC, AC
  JBLOCK unwanted;
} reader;

// The input during the read of an MCU.
typedef struct {
  const uint8_t *next, *end;
  const uint8_t *limit;  // the end of the bytes; `end` is the position behind a marker once one was found
  int marker;            // that marker: no more bits follow
  int is_waiting;        // all bytes are read, and more may arrive
} window;

// The order in files to the order of rows. A step too far ends at the last coefficient.
static const uint8_t natural[DCTSIZE2 + TO_THE_END] = {
  0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
  41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
  30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
  63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
  63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
  63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
};

// Returns the top `size` bits as a value: half of them are negative (F.2.2.1, EXTEND). `size` is not 0.
static inline int extend(uint64_t bits, int size) {
  const int value = (int)(bits >> (64 - size));
  return value + (((value >> (size - 1)) - 1) & (int)((~0u << size) + 1));
}

// Returns the entry of a symbol whose code has that length, and whose value is read separately.
static entry entry_of(const table *t, int symbol, int length) {
  const int size = symbol & 15;
  const int run = symbol >> 4;
  int step = 0;
  if (!t->is_dc) step = size != 0 || run == 15 ? run : TO_THE_END;
  return (entry)step << STEP_SHIFT | (entry)size << SIZE_SHIFT | (entry)length;
}

// Sets the entries for all bits that may follow a code. A value comes first among them, if it fits.
static void set_entries(table *t, int symbol, int code, int length) {
  const int rest = LOOK - length;
  const int size = symbol & 15;
  entry *place = t->look + ((size_t)code << rest);
  const entry e = entry_of(t, symbol, length);
  if (size == 0 || size > rest) {
    for (int i = 0; i < 1 << rest; i++) *place++ = e;
    return;
  }
  const entry whole = (e & ~(entry)SIZE) + (entry)size;
  for (int value = 0; value < 1 << size; value++) {
    const int signed_value = extend((uint64_t)value << (64 - size), size);
    const entry known = whole | (entry)(uint16_t)signed_value << VALUE_SHIFT;
    for (int i = 0; i < 1 << (rest - size); i++) *place++ = known;
  }
}

// Derives the codes, which are numbered from the shortest to the longest (annex C). The library has refused invalid
// tables; returns 0 if there is one nevertheless.
static int derive(table *t, const JHUFF_TBL *source, int is_dc) {
  t->is_dc = is_dc;
  memcpy(t->symbols, source->huffval, sizeof t->symbols);
  for (int i = 0; i < 1 << LOOK; i++) t->look[i] = LONGER;
  int32_t code = 0, index = 0;
  for (int length = 1; length <= LONGEST; length++, code <<= 1) {
    const int count = source->bits[length];
    if (index + count > SYMBOLS || code + count > 1 << length) return 0;
    t->offset[length] = index - code;
    t->last[length] = count ? code + count - 1 : -1;
    for (int i = 0; i < count; i++, code++, index++) {
      const int symbol = t->symbols[index];
      if (is_dc && symbol > LARGEST_DC) return 0;
      if (length <= LOOK) set_entries(t, symbol, code, length);
    }
  }
  return 1;
}

// Fills if fewer than eight bytes are left, or a byte of all bits set is near: followed by zero it is data, otherwise a
// marker.
static __attribute__((noinline)) bits fill_slowly(j_decompress_ptr jpeg, window *w, bits b) {
  while (b.count < 56) {
    if (w->marker || w->is_waiting) break;
    const uint8_t *after = w->next;
    while (after < w->end && *after == 0xFF) after++;
    if (after == w->end) {
      // The rest is empty, or the incomplete beginning of a marker.
      if (!jpeg->src->fill_input_buffer(jpeg)) {
        w->is_waiting = 1;
        break;
      }
      w->next = jpeg->src->next_input_byte;
      w->end = w->limit = w->next + jpeg->src->bytes_in_buffer;
      continue;
    }
    uint64_t byte = *after;
    if (after != w->next) {
      if (byte != 0) {
        w->marker = (int)byte;
        w->next = w->end = after + 1;
        break;
      }
      byte = 0xFF;
    }
    w->next = after + 1;
    b.bits |= byte << (56 - b.count);
    b.count += 8;
  }
  return b;
}

// Returns true if one of eight bytes has all bits set.
static inline int has_full_byte(uint64_t bytes) {
  return ((~bytes - 0x0101010101010101u) & bytes & 0x8080808080808080u) != 0;
}

// Fills up to seven bytes or more, if they are present. Values are passed and returned so that they stay in registers.
static inline __attribute__((always_inline)) bits fill(j_decompress_ptr jpeg, window *w, bits b) {
  if (w->end - w->next >= 8) {
    uint64_t bytes;
    memcpy(&bytes, w->next, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    if (!has_full_byte(bytes)) {
      // The bits of a byte that is not counted yet are read again.
      const int taken = (63 - b.count) >> 3;
      w->next += taken;
      return (bits){.bits = b.bits | bytes >> b.count, .count = b.count + taken * 8};
    }
  }
  window there = *w;
  const bits filled = fill_slowly(jpeg, &there, b);
  *w = there;
  return filled;
}

static inline bits drop(bits b, int count) { return (bits){.bits = b.bits << count, .count = b.count - count}; }

// Reads a code that is longer than the look-up. An invalid one counts as zero, as in the library.
static __attribute__((noinline)) entry read_long(j_decompress_ptr jpeg, const table *t, bits b) {
  for (int length = LOOK + 1; length <= LONGEST; length++) {
    const int32_t code = (int32_t)(b.bits >> (64 - length));
    if (code > t->last[length]) continue;
    const int symbol = t->symbols[(code + t->offset[length]) & (SYMBOLS - 1)];
    return entry_of(t, symbol, length);
  }
  // Behind the end there are only zeros, which are reported elsewhere.
  if (b.count > LONGEST) WARNMS(jpeg, JWRN_HUFF_BAD_CODE);
  return entry_of(t, 0, LONGEST + 1);
}

// Consumes the next entry, and returns it with its value. At least LOOK bits are present; the rest is not checked.
static inline __attribute__((always_inline)) entry take(
  j_decompress_ptr jpeg, const table *t, window *w, bits *all) {
  bits b = *all;
  entry e = t->look[b.bits >> (64 - LOOK)];
  if (__builtin_expect((e & SIZE) == 0, 1)) {
    *all = drop(b, (int)(e & LENGTH));
    return e;
  }
  b = fill(jpeg, w, b);
  if (e == LONGER) e = read_long(jpeg, t, b);
  b = drop(b, (int)(e & LENGTH));
  const int size = (int)(e & SIZE) >> SIZE_SHIFT;
  if (size != 0) {
    e |= (entry)(uint16_t)extend(b.bits, size) << VALUE_SHIFT;
    b = drop(b, size);
  }
  *all = fill(jpeg, w, b);
  return e;
}

static inline int value_of(entry e) { return (int16_t)(e >> VALUE_SHIFT); }
static inline int step_of(entry e) { return (int)(e >> STEP_SHIFT) & STEP; }

// Reads the coefficient at `k` or behind it, and returns the next position.
static inline __attribute__((always_inline)) int coefficient(
  j_decompress_ptr jpeg, const table *t, window *w, bits *b, JCOEF *block, int k) {
  const entry e = take(jpeg, t, w, b);
  k += step_of(e);
  // The store is harmless for an end of block or a run of zeros: the value is zero, as is the coefficient.
  block[natural[k]] = (JCOEF)value_of(e);
  return k + 1;
}

static inline __attribute__((always_inline)) boolean read_mcu(j_decompress_ptr jpeg, JBLOCKROW *blocks) {
  reader *const r = (reader *)jpeg->entropy;
  progress p = r->now;
  bits b = p.bits;
  window w = {.next = jpeg->src->next_input_byte, .marker = jpeg->unread_marker};
  w.limit = w.next + jpeg->src->bytes_in_buffer;
  w.end = w.marker ? w.next : w.limit;
  for (int i = 0; i < jpeg->blocks_in_MCU; i++) {
    const block_plan *const plan = &r->blocks[i];
    b = fill(jpeg, &w, b);
    const entry difference = take(jpeg, plan->dc, &w, &b);
    // The sum may wrap, and only its lower half is kept.
    unsigned *const mean = &p.means[plan->component];
    *mean += (unsigned)value_of(difference);
    if (plan->keeps_dc) blocks[i][0][0] = (JCOEF)(int)*mean;
    JCOEF *const block = plan->keeps_ac ? blocks[i][0] : r->unwanted;
    const table *const ac = plan->ac;
    // One fill is enough for a DC difference and four look-ups.
    _Static_assert(5 * LOOK <= 56, "fewer bits are there than are looked up");
    for (int k = 1;; b = fill(jpeg, &w, b)) {
      if ((k = coefficient(jpeg, ac, &w, &b, block, k)) >= DCTSIZE2) break;
      if ((k = coefficient(jpeg, ac, &w, &b, block, k)) >= DCTSIZE2) break;
      if ((k = coefficient(jpeg, ac, &w, &b, block, k)) >= DCTSIZE2) break;
      if ((k = coefficient(jpeg, ac, &w, &b, block, k)) >= DCTSIZE2) break;
    }
  }
  if (b.count < 0) {
    if (!w.marker) return FALSE;
    // The rest of this MCU consists of zeros; all MCUs up to the next restart are skipped.
    WARNMS(jpeg, JWRN_HIT_MARKER);
    r->library.insufficient_data = TRUE;
    b = (bits){0};
  }
  jpeg->src->next_input_byte = w.next;
  jpeg->src->bytes_in_buffer = (size_t)(w.limit - w.next);
  jpeg->unread_marker = w.marker;
  p.bits = b;
  r->now = p;
  return TRUE;
}

static boolean read_mcu_anywhere(j_decompress_ptr jpeg, JBLOCKROW *blocks) { return read_mcu(jpeg, blocks); }

#ifdef __x86_64__
// Shifts by a variable count are one instruction in BMI2.
static __attribute__((target("bmi2"))) boolean read_mcu_bmi2(j_decompress_ptr jpeg, JBLOCKROW *blocks) {
  return read_mcu(jpeg, blocks);
}
#endif

// Continues behind the next restart marker (F.2.2.5); false if input is missing.
static boolean restart(j_decompress_ptr jpeg, reader *r) {
  jpeg->marker->discarded_bytes += (unsigned)r->now.bits.count / 8;
  r->now.bits = (bits){0};
  if (jpeg->unread_marker != 0 && jpeg->marker->discarded_bytes > 0) {
    // The library reports bytes that it skips before a marker; these were read ahead, including the marker.
    WARNMS2(jpeg, JWRN_EXTRANEOUS_DATA, (int)jpeg->marker->discarded_bytes, jpeg->unread_marker);
    jpeg->marker->discarded_bytes = 0;
  }
  if (!jpeg->marker->read_restart_marker(jpeg)) return FALSE;
  memset(r->now.means, 0, sizeof r->now.means);
  r->until_restart = jpeg->restart_interval;
  // A marker that is kept for later is another one: no data follow.
  if (jpeg->unread_marker == 0) r->library.insufficient_data = FALSE;
  return TRUE;
}

static boolean decode_mcu(j_decompress_ptr jpeg, JBLOCKROW *blocks) {
  reader *const r = (reader *)jpeg->entropy;
  if (jpeg->restart_interval && r->until_restart == 0 && !restart(jpeg, r)) return FALSE;
  if (!r->library.insufficient_data && !r->read_mcu(jpeg, blocks)) return FALSE;
  if (jpeg->restart_interval) r->until_restart--;
  return TRUE;
}

// This state is an error: there is one scan, which has begun.
static void start_pass(j_decompress_ptr jpeg) { ERREXIT(jpeg, JERR_BAD_STATE); }

static table *table_for(j_decompress_ptr jpeg, reader *r, int number, int is_dc) {
  if (number < 0 || number >= NUM_HUFF_TBLS) return NULL;
  const JHUFF_TBL *source = is_dc ? jpeg->dc_huff_tbl_ptrs[number] : jpeg->ac_huff_tbl_ptrs[number];
  table **place = &r->tables[is_dc ? 0 : 1][number];
  if (!source) return NULL;
  if (*place) return *place;
  table *t = jpeg->mem->alloc_large((j_common_ptr)jpeg, JPOOL_IMAGE, sizeof *t);
  if (!derive(t, source, is_dc)) return NULL;
  return *place = t;
}

int cjpeg_read_codes(j_decompress_ptr jpeg) {
  if (jpeg->progressive_mode || jpeg->arith_code || jpeg->data_precision != 8) return 0;
  // A sequential scan starts at coefficient 0; a lossless one has its predictor there.
  if (jpeg->Ss != 0 || jpeg_has_multiple_scans(jpeg)) return 0;
  reader *r = jpeg->mem->alloc_small((j_common_ptr)jpeg, JPOOL_IMAGE, sizeof *r);
  memset(r, 0, sizeof *r);
  for (int i = 0; i < jpeg->blocks_in_MCU; i++) {
    const int place = jpeg->MCU_membership[i];
    const jpeg_component_info *component = jpeg->cur_comp_info[place];
    r->blocks[i] = (block_plan){
      .dc = table_for(jpeg, r, component->dc_tbl_no, 1),
      .ac = table_for(jpeg, r, component->ac_tbl_no, 0),
      .component = place,
      .keeps_dc = component->component_needed,
      .keeps_ac = component->component_needed && component->DCT_scaled_size > 1,
    };
    if (!r->blocks[i].dc || !r->blocks[i].ac) return 0;
  }
  r->until_restart = jpeg->restart_interval;
  r->read_mcu = read_mcu_anywhere;
#ifdef __x86_64__
  if (__builtin_cpu_supports("bmi2")) r->read_mcu = read_mcu_bmi2;
#endif
  r->library.start_pass = start_pass;
  r->library.decode_mcu = decode_mcu;
  jpeg->entropy = &r->library;
  return 1;
}

#else

int cjpeg_read_codes(j_decompress_ptr jpeg) {
  (void)jpeg;
  return 0;
}

#endif
