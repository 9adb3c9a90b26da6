/* SPDX-License-Identifier: MIT */
/* symbol_offset.h - where a function lies in a file, for probes */
#ifndef API_SYMBOL_OFFSET_H
#define API_SYMBOL_OFFSET_H

#include <stdint.h>

/* The offset of the first byte of a function, by its name in a symbol table of the file. 0 or a negative code. */
int symbol_offset_of_file(const char *file, const char *name, uint64_t *offset);

#endif
