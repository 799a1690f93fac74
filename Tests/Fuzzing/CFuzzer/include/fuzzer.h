#pragma once
#include <stddef.h>
#include <stdint.h>

/// The interface of libFuzzer to a program with its own main, as in LLVM's FuzzerInterface.h.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*target)(const uint8_t *data, size_t size));

/// libFuzzer's own mutations, for custom mutators. Returns the new size.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
