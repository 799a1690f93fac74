#include "cjpeg_recode.h"

#include "cjpeg.h"

#include <stdlib.h>
#include <string.h>

enum {
  SYMBOLS = 256,
  LONGEST = 16,
  // An AC symbol is a run of up to 15 zeros in the upper half, and a size of up to 10 bits in the lower one.
  LAST_AC = 0xFA,
  LAST_DC = 11,
  ALL_ZERO_16 = 0xF0,
};

static void set_table(j_compress_ptr jpeg, JHUFF_TBL **table, int length, int last) {
  if (!*table) *table = jpeg_alloc_huff_table((j_common_ptr)jpeg);
  memset((*table)->bits, 0, sizeof (*table)->bits);
  (*table)->bits[length] = (UINT8)(last + 1);
  // Each symbol is its own code. No code may have all bits set, and none has.
  for (int i = 0; i < SYMBOLS; i++) (*table)->huffval[i] = (UINT8)i;
  (*table)->sent_table = FALSE;
}

void cjpeg_set_plain_tables(struct jpeg_compress_struct *jpeg) {
  for (int i = 0; i < 2; i++) {
    set_table(jpeg, &jpeg->dc_huff_tbl_ptrs[i], 4, LAST_DC);
    set_table(jpeg, &jpeg->ac_huff_tbl_ptrs[i], 8, LAST_AC);
  }
}

// Copies the data of a scan without the zero after each byte of all bits set; returns the end of the copy.
static uint8_t *unstuff(const uint8_t *from, const uint8_t *end, uint8_t *to) {
  while (from < end) {
    const uint8_t *ff = memchr(from, 0xFF, (size_t)(end - from));
    const size_t count = ff ? (size_t)(ff - from) + 1 : (size_t)(end - from);
    memcpy(to, from, count);
    to += count;
    from += count + (ff ? 1 : 0);
  }
  return to;
}

// Inserts these zeros.
static uint8_t *stuff(const uint8_t *from, const uint8_t *end, uint8_t *to) {
  while (from < end) {
    const uint8_t *ff = memchr(from, 0xFF, (size_t)(end - from));
    const size_t count = ff ? (size_t)(ff - from) + 1 : (size_t)(end - from);
    memcpy(to, from, count);
    to += count;
    from += count;
    if (ff) *to++ = 0;
  }
  return to;
}

// The size of an access, which may extend behind the last byte.
enum { WORD = 8 };

static inline uint64_t swapped(uint64_t value) {
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(value) : value;
}

static inline uint64_t load(const uint8_t *bytes) {
  uint64_t value;
  memcpy(&value, bytes, WORD);
  return swapped(value);
}

static inline void store(uint8_t *bytes, uint64_t value) {
  value = swapped(value);
  memcpy(bytes, &value, WORD);
}

// A reader of bits, most significant first.
typedef struct {
  const uint8_t *at, *last;  // the last position at which a word can be loaded
  uint64_t bits;
  int count;
} reader;

// Refills to at least 56 bits.
static inline void refill(reader *r) {
  // Missing symbols would advance the position without end.
  r->at = r->at < r->last ? r->at : r->last;
  r->bits |= load(r->at) >> r->count;
  r->at += (63 - r->count) >> 3;
  r->count |= 56;
}

static inline uint32_t take(reader *r, uint32_t count) {
  // The shift has two steps, because none may be 64.
  const uint32_t value = (uint32_t)(r->bits >> 1 >> (63 - count));
  r->bits <<= count;
  r->count -= (int)count;
  return value;
}

// A writer that collects bits at the upper end of a word, and writes whole bytes of them.
typedef struct {
  uint8_t *at;
  uint64_t bits;
  uint32_t count;
} writer;

// Writes at most 32 bits, and at least one.
static inline void put(writer *w, uint64_t value, uint32_t count) {
  w->count += count;
  w->bits |= value << (64 - w->count);
  store(w->at, w->bits);
  w->at += w->count >> 3;
  w->bits <<= w->count & ~7u;
  w->count &= 7;
}

// A Huffman table: the frequency, the size and the code of each symbol.
typedef struct {
  size_t counts[SYMBOLS];
  uint8_t lengths[LONGEST + 1];  // the number of codes of each length
  uint8_t symbols[SYMBOLS];      // in the order of their codes
  int symbol_count;
  uint16_t codes[SYMBOLS];
  uint8_t sizes[SYMBOLS];        // of the codes; 0 for unused symbols
} table;

typedef struct {
  table dc[2], ac[2];
} tables;

// Walks over a scan, and counts its symbols or, with a writer, replaces their codes. Inlined for both uses.
static inline __attribute__((always_inline)) void walk(
  const cjpeg_scan *scan, reader r, tables *t, writer *writes) {
  writer w = writes ? *writes : (writer){0};
  for (size_t mcu = 0; mcu < scan->mcus; mcu++) {
    for (int block = 0; block < scan->blocks; block++) {
      table *dc = &t->dc[scan->table[block]], *ac = &t->ac[scan->table[block]];
      refill(&r);
      uint32_t symbol = take(&r, 4);
      uint32_t value = take(&r, symbol);
      if (writes) put(&w, (uint32_t)dc->codes[symbol] << symbol | value, dc->sizes[symbol] + symbol);
      else dc->counts[symbol]++;
      for (uint32_t k = 1; k < DCTSIZE2;) {
        refill(&r);
        symbol = take(&r, 8);
        const uint32_t size = symbol & 15;
        value = take(&r, size);
        if (writes) put(&w, (uint32_t)ac->codes[symbol] << size | value, ac->sizes[symbol] + size);
        else ac->counts[symbol]++;
        // The rest of the block is zero.
        if (size == 0 && symbol != ALL_ZERO_16) break;
        k += (symbol >> 4) + 1;
      }
    }
  }
  if (writes) *writes = w;
}

typedef struct {
  size_t weight;
  int symbol;  // the representative of all joined symbols
} node;

// Inserts in descending order of counts; of equal ones, the greatest symbol is last.
static void insert(node *order, int count, node new) {
  int i = count;
  for (; i > 0; i--) {
    const node *before = &order[i - 1];
    if (before->weight > new.weight || (before->weight == new.weight && before->symbol < new.symbol)) break;
    order[i] = *before;
  }
  order[i] = new;
}

// Computes the lengths of the codes by ITU-T T.81, K.2: the two rarest symbols are joined, until one is left.
static void find_sizes(const size_t counts[SYMBOLS], uint8_t sizes[SYMBOLS + 1]) {
  node order[SYMBOLS + 1];
  int next[SYMBOLS + 1], count = 0;
  for (int i = 0; i <= SYMBOLS; i++) {
    sizes[i] = 0;
    next[i] = -1;
    // The last one takes the code of all bits set.
    const size_t weight = i < SYMBOLS ? counts[i] : 1;
    if (weight > 0) insert(order, count++, (node){weight, i});
  }
  while (count > 1) {
    const node least = order[--count], second = order[--count];
    insert(order, count++, (node){least.weight + second.weight, least.symbol});
    int i = least.symbol;
    for (sizes[i]++; next[i] >= 0; sizes[i]++) i = next[i];
    next[i] = second.symbol;
    for (i = second.symbol; i >= 0; i = next[i]) sizes[i]++;
  }
}

static void make_codes(table *t) {
  uint8_t sizes[SYMBOLS + 1];
  int lengths[SYMBOLS + 1] = {0};
  find_sizes(t->counts, sizes);
  int deepest = 0;
  for (int i = 0; i <= SYMBOLS; i++) {
    lengths[sizes[i]]++;
    if (sizes[i] > deepest) deepest = sizes[i];
  }
  // Shortens codes that are too long: two of them become one of a bit less, and a shorter one makes room for the other.
  for (int i = deepest; i > LONGEST; i--) {
    while (lengths[i] > 0) {
      int j = i - 2;
      while (lengths[j] == 0) j--;
      lengths[i] -= 2;
      lengths[i - 1]++;
      lengths[j + 1] += 2;
      lengths[j]--;
    }
  }
  // The reserved code is among the longest.
  int longest = LONGEST;
  while (longest > 0 && lengths[longest] == 0) longest--;
  if (longest > 0) lengths[longest]--;
  t->symbol_count = 0;
  for (int size = 1; size <= deepest; size++) {
    for (int i = 0; i < SYMBOLS; i++) {
      if (sizes[i] == size) t->symbols[t->symbol_count++] = (uint8_t)i;
    }
  }
  uint32_t code = 0;
  int place = 0;
  for (int length = 1; length <= LONGEST; length++, code <<= 1) {
    t->lengths[length] = (uint8_t)lengths[length];
    for (int i = 0; i < lengths[length]; i++, place++, code++) {
      t->codes[t->symbols[place]] = (uint16_t)code;
      t->sizes[t->symbols[place]] = (uint8_t)length;
    }
  }
}

// Returns the bits of all symbols, with those of their values.
static size_t bit_count(const table *t) {
  size_t bits = 0;
  for (int i = 0; i < SYMBOLS; i++) bits += t->counts[i] * (size_t)(t->sizes[i] + (i & 15));
  return bits;
}

static uint8_t *put_table(uint8_t *at, const table *t, int identifier) {
  const int length = 2 + 1 + LONGEST + t->symbol_count;
  const uint8_t start[5] = {0xFF, 0xC4, (uint8_t)(length >> 8), (uint8_t)length, (uint8_t)identifier};
  memcpy(at, start, sizeof start);
  memcpy(at + sizeof start, t->lengths + 1, LONGEST);
  memcpy(at + sizeof start + LONGEST, t->symbols, (size_t)t->symbol_count);
  return at + 2 + length;
}

// Returns the length of the segment at an offset; 0 if there is none.
static size_t segment_length(const uint8_t *bytes, size_t count, size_t at) {
  if (count < 4 || at > count - 4 || bytes[at] != 0xFF) return 0;
  const size_t length = 2 + ((size_t)bytes[at + 2] << 8 | bytes[at + 3]);
  return length >= 4 && length <= count - at ? length : 0;
}

// A recoded file: the segments of the old one without its tables, the new tables, and the data.
typedef struct {
  const uint8_t *bytes;
  size_t count, scan, data;  // the offsets of the segment of the scan and of its data
  int tables;                // number of tables of each kind
} file;

static int write_file(
  const file *f, const cjpeg_scan *scan, reader r, tables *t, uint8_t **recoded, size_t *recoded_count) {
  size_t bits = 0;
  for (int i = 0; i < f->tables; i++) {
    make_codes(&t->dc[i]);
    make_codes(&t->ac[i]);
    bits += bit_count(&t->dc[i]) + bit_count(&t->ac[i]);
  }
  const size_t most = bits / 8 + 1;
  uint8_t *data = malloc(most + WORD);
  // Every byte may need a zero behind it. Pages that are not written cost nothing.
  uint8_t *result = malloc(f->data + 4 * (5 + LONGEST + SYMBOLS) + most * 2 + 2);
  if (!data || !result) {
    free(data);
    free(result);
    return CJPEG_OUT_OF_MEMORY;
  }
  uint8_t *at = result;
  for (size_t i = 0, step; i < f->scan; i += step) {
    step = i == 0 ? 2 : segment_length(f->bytes, f->count, i);
    if (f->bytes[i + 1] == 0xC4) continue;
    memcpy(at, f->bytes + i, step);
    at += step;
  }
  for (int i = 0; i < f->tables; i++) {
    at = put_table(at, &t->dc[i], i);
    at = put_table(at, &t->ac[i], 0x10 | i);
  }
  memcpy(at, f->bytes + f->scan, f->data - f->scan);
  at += f->data - f->scan;
  writer w = {.at = data};
  walk(scan, r, t, &w);
  // The last byte is padded with ones.
  put(&w, 0x7F, 7);
  at = stuff(data, w.at, at);
  free(data);
  *at++ = 0xFF;
  *at++ = JPEG_EOI;
  *recoded_count = (size_t)(at - result);
  uint8_t *fitted = realloc(result, *recoded_count);
  *recoded = fitted ? fitted : result;
  return CJPEG_OK;
}

int cjpeg_recode(
  const cjpeg_scan *scan, const uint8_t *bytes, size_t count, uint8_t **recoded, size_t *recoded_count) {
  file f = {.bytes = bytes, .count = count, .scan = 2, .tables = 1};
  size_t length;
  while ((length = segment_length(bytes, count, f.scan)) > 0 && bytes[f.scan + 1] != 0xDA) f.scan += length;
  f.data = f.scan + length;
  if (length == 0 || f.data > count - 2) return CJPEG_ERROR;
  for (int i = 0; i < scan->blocks; i++) {
    if (scan->table[i] == 1) f.tables = 2;
  }
  tables *t = calloc(1, sizeof *t);
  uint8_t *plain = malloc(count - f.data + WORD);
  int outcome = CJPEG_OUT_OF_MEMORY;
  if (t && plain) {
    uint8_t *last = unstuff(bytes + f.data, bytes + count - 2, plain);
    memset(last, 0, WORD);
    const reader r = {.at = plain, .last = last};
    walk(scan, r, t, NULL);
    outcome = write_file(&f, scan, r, t, recoded, recoded_count);
  }
  free(plain);
  free(t);
  return outcome;
}
