/* SPDX-License-Identifier: MIT */
#include "export/fleet/ids.h"

#include "base/put.h"
#include "base/xxh64.h"

/* Numbers are little-endian wherever the hash is made. */
static void put_number(struct buf *text, uint64_t v)
{
	put_u64(text, v, host_is_big_endian());
}

/* 0 is no id: it stands for a failure. */
static int64_t id_of(const struct buf *text)
{
	uint64_t id;

	if (text->failed)
		return 0;
	id = xxh64(text->p, text->n);
	return id ? (int64_t)id : 1;
}

int64_t fleet_frame_id(const struct fleet_frame *f, struct buf *text)
{
	text->n = 0;
	put_strz(text, *f->build_id ? f->build_id : f->module);
	put_strz(text, f->function);
	put_strz(text, f->file);
	put_number(text, f->line);
	put_number(text, f->address);
	put_number(text, f->inlined);
	return id_of(text);
}

int64_t fleet_stack_id(const int64_t *frames, size_t n, struct buf *text)
{
	text->n = 0;
	for (size_t i = 0; i < n; i++)
		put_number(text, (uint64_t)frames[i]);
	return id_of(text);
}
