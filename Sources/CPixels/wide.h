#pragma once
#include "kernels.h"

/// By a table, one sample after the other.
void cpx_linearise_portable(const uint8_t *in, int16_t *out, size_t pixels, const uint16_t *linear);

extern const cpx_wide_kernels cpx_wide_portable;
#if defined(__x86_64__)
extern const cpx_wide_kernels cpx_wide_sse41, cpx_wide_avx2, cpx_wide_vnni, cpx_wide_vbmi;
#elif defined(__aarch64__)
extern const cpx_wide_kernels cpx_wide_neon;
#endif
