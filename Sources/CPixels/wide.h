#pragma once
#include "kernels.h"

extern const cpx_wide_kernels cpx_wide_portable;
#if defined(__x86_64__)
extern const cpx_wide_kernels cpx_wide_sse41, cpx_wide_avx2, cpx_wide_vnni, cpx_wide_vbmi;
#elif defined(__aarch64__)
extern const cpx_wide_kernels cpx_wide_neon;
#endif

/// The kernel for all levels without one of their own.
void cpx_weigh_portable(uint32_t *pair, size_t samples);
