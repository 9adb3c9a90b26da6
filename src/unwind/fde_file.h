/* SPDX-License-Identifier: MIT */
/*
 * fde_file.h - the entries of an .eh_frame that stays in its file
 *
 * Some of the functions of a large binary are asked for: only their entries are read.
 */
#ifndef UNWIND_FDE_FILE_H
#define UNWIND_FDE_FILE_H

#include "base/vec.h"
#include "symbol/elf/cfi.h"
#include "unwind/code_files.h"

struct fde_file {
	struct code_files *files;    /* borrowed, as the next one; NULL: the section is in memory */
	const struct code_file *file;
	uint64_t offset;             /* of the section in the file */
	uint32_t cie_at;             /* of the CIE at hand, in the section */
	uint32_t cie_size;           /* 0: there is none */
	VEC(uint8_t) bytes;          /* that CIE, and after it the FDE that was read last */
};

/*
 * Reads the FDE at @at of @whole, a section without bytes. @small: a section of its CIE and of itself, at @fde; valid
 * until the next call. False where the file does not have them, or they make no sense.
 */
bool fde_file_read(struct fde_file *x, const struct cfi_section *whole, uint32_t at, struct cfi_section *small,
		   uint32_t *fde);

void fde_file_free(struct fde_file *x);

#endif
