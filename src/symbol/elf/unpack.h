/* SPDX-License-Identifier: MIT */
/* unpack.h - whole files compressed with gzip, xz or zstd: kernel modules and mini-debuginfo. */
#ifndef SYMBOL_ELF_UNPACK_H
#define SYMBOL_ELF_UNPACK_H

#include "base/err.h"

enum file_packing { PACKING_NONE, PACKING_GZIP, PACKING_XZ, PACKING_ZSTD };

/* By the end of a file name. */
enum file_packing packing_of_name(const char *name);

/* *out is malloced. Refuses what grows beyond any symbol file that was ever packed this way. */
int unpack(enum file_packing packing, const void *in, size_t in_size, void **out, size_t *out_size,
	   struct sonde_error *err);

#endif
