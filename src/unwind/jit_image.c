/* SPDX-License-Identifier: MIT */
#include "unwind/jit_image.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "symbol/elf/file.h"

/* A function has some hundred bytes; more are not read. */
#define EH_FRAME_MOST (UINT32_C(1) << 20)

/* The .eh_frame of a function. */
struct jit_table {
	struct unwind_table table;
	bool opened;                 /* it has the function */
	uint64_t ahead;              /* its addresses are so far ahead of the offsets in the dump */
};

static bool has_eh_frame(const struct jitdump_function *f)
{
	return f->unwind_size > f->hdr_size && f->unwind_size - f->hdr_size <= EH_FRAME_MOST;
}

bool jit_image_open(struct jit_image *image, const struct jitdump *dump)
{
	for (size_t i = 0; dump && i < dump->functions.n; i++)
		if (has_eh_frame(&dump->functions.at[i])) {
			image->dump = dump;
			return true;
		}
	return false;
}

/*
 * The .eh_frame stands before its .eh_frame_hdr, the other way round than the specification says. Its addresses are
 * relative to its own place after the code, which perf inject has chosen; the first function in it is the function
 * itself, so that the place need not be known.
 */
static void read_table(const struct jitdump *d, const struct jitdump_function *f, struct jit_table *t)
{
	size_t size = f->unwind_size - f->hdr_size;
	uint8_t *bytes = malloc(size);
	struct cfi_section section = { .bytes = bytes, .size = size, .addr = f->offset + ALIGN_UP(f->size, 8),
				       .swap = d->swap, .wide = elf_machine_is_wide(d->machine) };

	if (bytes && jitdump_bytes(d, f->unwind_at, bytes, size))
		t->opened = unwind_table_open_bytes(&t->table, &section);
	free(bytes);
	if (t->opened)
		t->ahead = t->table.base - f->offset;
}

static struct jit_table *table_of(struct jit_image *image, const struct jitdump_function *f)
{
	uint32_t i = u64map_get(&image->table_of, f->offset);
	struct jit_table *t;

	if (i != U64MAP_NONE)
		return image->tables.at[i];
	t = calloc(1, sizeof(*t));
	if (!t || vec_push(&image->tables, t) < 0) {
		free(t);
		return NULL;
	}
	read_table(image->dump, f, t);
	u64map_set(&image->table_of, f->offset, (uint32_t)image->tables.n - 1);
	return t;
}

bool jit_image_find(struct jit_image *image, uint64_t offset, const struct unwind_rule **rule,
		    const struct cfi_section **section, uint64_t *start, uint64_t *end)
{
	const struct jitdump_function *f = jitdump_find(image->dump, offset);
	struct jit_table *t = f && has_eh_frame(f) ? table_of(image, f) : NULL;

	if (!t || !t->opened || !unwind_table_find(&t->table, offset + t->ahead, rule, section, start, end))
		return false;
	*start -= t->ahead;
	*end -= t->ahead;
	return true;
}

void jit_image_close(struct jit_image *image)
{
	for (size_t i = 0; i < image->tables.n; i++) {
		unwind_table_free(&image->tables.at[i]->table);
		free(image->tables.at[i]);
	}
	vec_free(&image->tables);
	u64map_free(&image->table_of);
}
