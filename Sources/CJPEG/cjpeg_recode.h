#ifndef CJPEG_RECODE_H
#define CJPEG_RECODE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

// Optimised Huffman tables for a picture, identical to those of the library, but computed faster: the library keeps all
// coefficients of the picture, reads each twice and searches its tables slowly. Here the picture is written once with
// codes that are easy to read, which are then counted and replaced. The bytes are the same.

// Gives an encoder tables whose codes all have the same length: symbols of DC four bits, those of AC eight.
void cjpeg_set_plain_tables(struct jpeg_compress_struct *);

// The structure of a baseline scan.
typedef struct {
  size_t mcus;
  int blocks;        // in each MCU
  uint8_t table[10]; // of each block: 0 or 1
} cjpeg_scan;

// Replaces the codes of plain tables in a whole file with one scan. The caller frees `*recoded` with free().
int cjpeg_recode(
  const cjpeg_scan *, const uint8_t *bytes, size_t count, uint8_t **recoded, size_t *recoded_count);

#endif
