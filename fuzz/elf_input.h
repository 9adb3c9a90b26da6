/* SPDX-License-Identifier: MIT */
/* elf_input.h - an input as an ELF file in memory: a copy of its own, so that a sanitizer sees a read past its end */
#ifndef FUZZ_ELF_INPUT_H
#define FUZZ_ELF_INPUT_H

#include <stdlib.h>
#include <string.h>

#include "symbol/elf/file.h"

/* 0 or negative. elf_file_close() frees the copy. */
static inline int elf_input_open(struct elf_file *f, const uint8_t *data, size_t size)
{
	void *copy = malloc(size ? size : 1);

	if (!copy)
		return -SONDE_NOMEM;
	if (size)
		memcpy(copy, data, size);
	return elf_file_open_memory(f, copy, size, NULL);
}

#endif
