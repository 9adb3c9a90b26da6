/* SPDX-License-Identifier: MIT */
/*
 * bundle_elf.h - parts of an ELF file as a member of a bundle: its headers, its tables for unwinding, and bytes of its
 * code
 *
 * Where nothing was taken, the file that comes out of it reads as zeros; sections that were not taken have no bytes
 * (SHT_NOBITS).
 */
#ifndef SYMBOL_BUNDLE_ELF_H
#define SYMBOL_BUNDLE_ELF_H

#include "base/buf.h"
#include "symbol/elf/file.h"

/* Bytes of a file. */
struct bundle_range { uint64_t start, end; };

/*
 * @debug: of a debug file, .debug_frame only. @ranges: further bytes; they are sorted. False: the file cannot be read,
 * or has nothing that is wanted.
 */
bool bundle_elf_encode(struct buf *out, const struct elf_file *f, bool debug, struct bundle_range *ranges, size_t n);

/* A file from the bytes. 0, -SONDE_CORRUPT, -SONDE_NOMEM. */
int bundle_elf_decode(struct elf_file *f, const uint8_t *p, size_t n);

#endif
