/* SPDX-License-Identifier: MIT */
/*
 * jit_image.h - the unwind information of the code in a jitdump: an .eh_frame for each function
 *
 * Addresses are offsets in the dump, where the code of each function has a place of its own.
 */
#ifndef UNWIND_JIT_IMAGE_H
#define UNWIND_JIT_IMAGE_H

#include "symbol/list/jitdump.h"
#include "unwind/table.h"

struct jit_image {
	const struct jitdump *dump;  /* NULL: there is none */
	struct u64map table_of;      /* offset of a function -> its number in tables */
	VEC(struct jit_table *) tables;
};

/* False: the dump cannot be read, or has no unwind information. */
bool jit_image_open(struct jit_image *image, const struct jitdump *dump);

/* As unwind_table_find(), with the section of the rule. */
bool jit_image_find(struct jit_image *image, uint64_t offset, const struct unwind_rule **rule,
		    const struct cfi_section **section, uint64_t *start, uint64_t *end);

void jit_image_close(struct jit_image *image);

#endif
