/* SPDX-License-Identifier: MIT */
/* extents.c - where in the file the pages of the CPUs are */
#include "tracedat/format/option.h"
#include "tracedat/read/tracedat.h"

static int by_offset(const void *a, const void *b)
{
	const struct cpu_extent *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->buffer != y->buffer ? (x->buffer < y->buffer ? -1 : 1) : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static int add_extent(struct tracedat *f, uint32_t buffer, const struct sonde_cpu_pages *cpu)
{
	const struct meta_buffer *b = &f->buffers.at[buffer];
	uint64_t size = f->input.size, left = cpu->file_offset < size ? size - cpu->file_offset : 0;
	struct cpu_extent r = { .offset = cpu->file_offset,
				.size = cpu->size,
				.buffer = buffer,
				.page_size = b->page_size,
				.cpu = cpu->cpu <= INT32_MAX ? (int32_t)cpu->cpu : -1,
				.compressed = b->compressed };

	if (r.size == 0)
		return 0;
	if (r.compressed && r.size < UINT64_MAX - 4)
		r.size += 4;  /* sizes are 4 too small before trace-cmd 3.2; what is after the list is not looked at */
	if (r.size > left) {
		if (cpu->size > left)
			ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, cpu->size - left,
				   left ? size : cpu->file_offset, SONDE_NONE, r.cpu,
				   "{byte|bytes} of pages {is|are} missing: the file was cut");
		r.size = left;
	}
	if (r.cpu >= 0 && (uint32_t)r.cpu >= f->nr_cpus && r.cpu < DAT_CPUS_MAX)
		f->nr_cpus = (uint32_t)r.cpu + 1;
	return r.size ? vec_push(&f->extents, r) : 0;
}

/* Two extents of the same bytes: a file can name its bytes as often as it likes, they are read once. */
static void drop_overlaps(struct tracedat *f)
{
	uint64_t end = 0;
	size_t n = 0;

	for (size_t i = 0; i < f->extents.n; i++) {
		struct cpu_extent *r = &f->extents.at[i];

		if (r->offset < end) {
			ledger_add(&f->base.ledger, SONDE_LOSS_CORRUPT, r->size, r->offset, SONDE_NONE, r->cpu,
				   "{byte|bytes} of pages that another CPU or buffer claims too");
			continue;
		}
		f->extents.at[n] = *r;
		/* the size that is 4 too small reaches nowhere */
		end = r->offset + r->size - (r->compressed && r->size > 4 ? 4 : 0);
		n++;
	}
	f->extents.n = n;
}

int dat_extents_make_all(struct tracedat *f, struct sonde_error *err)
{
	struct sonde_trace_info *info = &f->base.info;

	for (size_t b = 0; b < f->buffers.n; b++)
		for (size_t i = 0; i < f->buffers.at[b].nr_cpus; i++)
			if (add_extent(f, (uint32_t)b, &f->buffers.at[b].cpus[i]) < 0)
				return err_nomem(err);
	if (f->extents.n)
		qsort(f->extents.at, f->extents.n, sizeof(*f->extents.at), by_offset);
	drop_overlaps(f);
	info->data_offset = f->extents.n ? f->extents.at[0].offset : f->input.size;
	info->data_size = 0;
	for (size_t i = 0; i < f->extents.n; i++)
		info->data_size += f->extents.at[i].size;
	f->base.nr_bytes = info->data_size;
	return 0;
}
