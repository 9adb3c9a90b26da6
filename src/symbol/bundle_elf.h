/* SPDX-License-Identifier: MIT */
/*
 * bundle_elf.h - parts of an ELF file as a member of a bundle: its headers, its tables for unwinding, and bytes of its
 * code
 *
 * In the decoded file, bytes that were not taken are zeros; sections that were not taken have no bytes (SHT_NOBITS).
 */
#ifndef SYMBOL_BUNDLE_ELF_H
#define SYMBOL_BUNDLE_ELF_H

#include "base/buf.h"
#include "symbol/elf/file.h"

/*
 * @debug: of a debug file, .debug_frame only. @wanted: further parts, in any order. False: the file cannot be read, or
 * has nothing that is wanted.
 */
bool bundle_elf_encode(struct buf *out, const struct elf_file *f, bool debug, const struct elf_part *wanted, size_t n);

/* The file of a member. 0, -SONDE_CORRUPT, -SONDE_NOMEM. */
int bundle_elf_decode(struct elf_file *f, const uint8_t *p, size_t n);

#endif
