#include "cpixels.h"
#include <string.h>

void cpx_reduce_rows(const uint8_t *source, size_t source_stride, int32_t source_width, int32_t source_height,
                     int32_t cell_width, int32_t cell_height, int premultiply, uint8_t *destination,
                     uint64_t *sums, int32_t first, int32_t last) {
  const size_t cells = ((size_t)source_width - 1) / (size_t)cell_width + 1;
  for (int32_t row = first; row < last; row++) {
    const int64_t top = (int64_t)row * cell_height;
    const int64_t bottom = top + cell_height < source_height ? top + cell_height : source_height;
    memset(sums, 0, cells * 4 * sizeof *sums);
    for (int64_t y = top; y < bottom; y++) {
      const uint8_t *p = source + (size_t)y * source_stride;
      int32_t left = source_width;
      for (uint64_t *sum = sums; left > 0; sum += 4) {
        const int32_t count = left < cell_width ? left : cell_width;
        left -= count;
        uint64_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (int32_t i = 0; i < count; i++, p += 4) {
          const uint32_t factor = premultiply ? p[3] : 1;
          s0 += p[0] * factor;
          s1 += p[1] * factor;
          s2 += p[2] * factor;
          s3 += p[3];
        }
        sum[0] += s0;
        sum[1] += s1;
        sum[2] += s2;
        sum[3] += s3;
      }
    }
    uint8_t *out = destination + (size_t)row * cells * 4;
    const uint64_t height = (uint64_t)(bottom - top);
    for (size_t cell = 0; cell < cells; cell++, out += 4) {
      const uint64_t begin = (uint64_t)cell * (uint64_t)cell_width;
      const uint64_t rest = (uint64_t)source_width - begin;
      const uint64_t count = height * (rest < (uint64_t)cell_width ? rest : (uint64_t)cell_width);
      const uint64_t divisor = premultiply ? count * 255 : count;
      for (int c = 0; c < 3; c++) out[c] = (uint8_t)((sums[4 * cell + c] + divisor / 2) / divisor);
      out[3] = (uint8_t)((sums[4 * cell + 3] + count / 2) / count);
    }
  }
}
