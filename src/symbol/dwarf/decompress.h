/* SPDX-License-Identifier: MIT */
/* decompress.h - compressed sections: SHF_COMPRESSED (zlib, zstd), and .zdebug_* of older tools. */
#ifndef SYMBOL_DWARF_DECOMPRESS_H
#define SYMBOL_DWARF_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The head of a compressed section. */
struct compressed_layout {
	bool zdebug;                 /* "ZLIB" and the size; otherwise an Elf32_Chdr or Elf64_Chdr */
	bool wide;                   /* Elf64 */
	bool swap;                   /* the byte order is not the host's */
};

/*
 * The bytes (malloced) and their number; a NUL follows them, which is not counted. NULL: damaged, of an unknown kind,
 * or of a size that so few bytes cannot become.
 */
uint8_t *decompress_section(const uint8_t *p, size_t n, const struct compressed_layout *layout, size_t *out_n);

#endif
