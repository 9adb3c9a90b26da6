/* SPDX-License-Identifier: MIT */
/* buffer.c - the ring buffers of a trace.dat, and the regions of the file where their CPUs' pages are */
#include "tracedat/read/tracedat.h"

#define CPU_ENTRY_BYTES 20

int buffer_add(struct tracedat *f, const struct sonde_buffer *b, struct sonde_error *err)
{
	return vec_push(&f->buffers, *b) < 0 ? err_nomem(err) : 0;
}

/* The offset of a section, where an option says that there is one of this id; false: there is none. */
static bool find_section(struct tracedat *f, uint64_t at, enum section_id id, struct dat_section *out, struct sonde_error *err)
{
	if (section_header(f, at, out) == 0 && out->id == id)
		return true;
	err_set(err, SONDE_CORRUPT, at, "there is no such section at 0x%" PRIx64, at);
	return false;
}

static int decode_cpus(struct tracedat *f, struct cursor *c, uint32_t nr, struct sonde_buffer *b)
{
	struct cursor table = cur_sub(c, (uint64_t)nr * CPU_ENTRY_BYTES);

	if (!cur_ok(c))
		return -SONDE_TRUNCATED;
	b->cpus = arena_calloc(&f->base.arena, nr ? nr : 1, sizeof(*b->cpus));
	if (!b->cpus)
		return -SONDE_NOMEM;
	b->nr_cpus = nr;
	for (uint32_t i = 0; i < nr; i++) {
		b->cpus[i].cpu = cur_u32(&table);
		b->cpus[i].file_offset = cur_u64(&table);
		b->cpus[i].size = cur_u64(&table);
	}
	return 0;
}

/*
 * u64 section, name "\0", clock "\0", u32 page size, u32 count, [count] { u32 cpu, u64 offset, u64 size }. Sizes of compressed
 * regions are 4 too small before trace-cmd 3.2.
 */
int buffer_decode(struct tracedat *f, struct cursor *c, struct sonde_error *err)
{
	struct sonde_buffer b = { 0 };
	uint64_t at = cur_u64(c);
	struct sonde_str name = cur_strz(c), clock = cur_strz(c);
	struct dat_section s;
	uint32_t nr;
	int r;

	b.page_size = cur_u32(c);
	nr = cur_u32(c);
	if (!cur_ok(c))
		return -SONDE_TRUNCATED;
	b.name = arena_strndup(&f->base.arena, name.p, name.len);
	b.clock = arena_strndup(&f->base.arena, clock.p, clock.len);
	if (!b.name || !b.clock)
		return -SONDE_NOMEM;
	r = decode_cpus(f, c, nr, &b);
	if (r < 0)
		return r;
	if (!find_section(f, at, SECTION_BUFFER, &s, err))
		return -SONDE_CORRUPT;
	if (u64map_set(&f->visited, at, 1) < 0)
		return -SONDE_NOMEM;
	b.compressed = s.flags & SECTION_COMPRESSED;
	if (b.page_size < PAGE_SIZE_MIN || b.page_size > PAGE_SIZE_MAX)
		b.page_size = f->header.page_size;
	return buffer_add(f, &b, err);
}

int buffer_decode_text(struct tracedat *f, struct cursor *c, struct sonde_error *err)
{
	uint64_t at = cur_u64(c);
	struct dat_section s;

	if (!cur_ok(c))
		return -SONDE_TRUNCATED;
	if (!find_section(f, at, SECTION_BUFFER_TEXT, &s, err))
		return -SONDE_CORRUPT;
	if (u64map_set(&f->visited, at, 1) < 0)
		return -SONDE_NOMEM;
	return buffer_add_text(f, s.payload, s.size, s.flags & SECTION_COMPRESSED, err);
}

/* u32 count, [count] { u32 bytes compressed, u32 bytes in them, block }; all of them together are the text */
static int decompress_text(struct tracedat *f, struct cursor *c, struct piece *p)
{
	uint32_t count = cur_u32(c);

	for (uint32_t i = 0; i < count && cur_ok(c); i++) {
		uint32_t packed = cur_u32(c), size = cur_u32(c);
		const uint8_t *block = cur_take(c, packed);
		uint8_t *grown;
		int r;

		if (!block)
			break;
		if (!f->codec || size > f->budget)
			return err_set(c->err, SONDE_CORRUPT, c->at, "a piece of %u bytes that cannot be decompressed", size);
		f->budget -= size;
		grown = realloc(p->owned, p->size + size + 1);
		if (!grown)
			return -SONDE_NOMEM;
		p->owned = grown;
		r = piece_decompress(f, block, packed, p->owned + p->size, size, c->err);
		if (r < 0)
			return r;
		p->size += size;
	}
	return cur_ok(c) ? 0 : -SONDE_TRUNCATED;
}

/* What a compressed text says, as far as it can be read. */
static int unpack_text(struct tracedat *f, const struct bytes *b, struct piece *p, struct sonde_error *err)
{
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	struct cursor c = bytes_cursor(f, b, &failure);
	int r = decompress_text(f, &c, p);

	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0)
		ledger_add(&f->base.ledger, SONDE_LOSS_CORRUPT, 1, b->at, SONDE_NONE, -1, "texts that end too early: %s", failure.text);
	p->data = p->owned;
	p->packed = true;
	return 0;
}

int buffer_add_text(struct tracedat *f, uint64_t at, uint64_t n, bool compressed, struct sonde_error *err)
{
	struct piece p = { .file_offset = at, .held = true };
	struct bytes b;
	uint32_t number;
	int r = bytes_read(f, at, n, &b, err);

	if (r < 0)
		return r;
	if (compressed) {
		r = unpack_text(f, &b, &p, err);
		bytes_free(&b);
		if (r < 0) {
			free(p.owned);
			return r;
		}
	} else {
		p.data = b.p;
		p.size = b.n;
		p.owned = b.owned;
	}
	number = piece_new(f, p);
	if (number == PIECE_NONE)
		return err_nomem(err);
	return vec_push(&f->texts, number) < 0 ? err_nomem(err) : 0;
}

static int by_offset(const void *a, const void *b)
{
	const struct region *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->buffer != y->buffer ? (x->buffer < y->buffer ? -1 : 1) : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static int add_region(struct tracedat *f, uint32_t buffer, const struct sonde_cpu_pages *cpu)
{
	const struct sonde_buffer *b = &f->buffers.at[buffer];
	uint64_t size = f->input.size, left = cpu->file_offset < size ? size - cpu->file_offset : 0;
	struct region r = { .offset = cpu->file_offset, .size = cpu->size, .buffer = buffer, .page_size = b->page_size,
			    .cpu = cpu->cpu <= INT32_MAX ? (int32_t)cpu->cpu : -1, .compressed = b->compressed };

	if (r.size == 0)
		return 0;
	if (r.compressed && r.size < UINT64_MAX - 4)
		r.size += 4;  /* see buffer_decode(); what is behind the list is not looked at */
	if (r.size > left) {
		if (cpu->size > left)
			ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, cpu->size - left, left ? size : cpu->file_offset, SONDE_NONE,
				   r.cpu, "bytes of pages are missing: the file was cut");
		r.size = left;
	}
	if (r.cpu >= 0 && (uint32_t)r.cpu >= f->nr_cpus && r.cpu < 65536)
		f->nr_cpus = (uint32_t)r.cpu + 1;
	return r.size ? vec_push(&f->regions, r) : 0;
}

/* Two regions of the same bytes: a file can name its bytes as often as it likes, they are read once. */
static void drop_overlaps(struct tracedat *f)
{
	uint64_t end = 0;
	size_t n = 0;

	for (size_t i = 0; i < f->regions.n; i++) {
		struct region *r = &f->regions.at[i];

		if (r->offset < end) {
			ledger_add(&f->base.ledger, SONDE_LOSS_CORRUPT, r->size, r->offset, SONDE_NONE, r->cpu,
				   "bytes of pages that are those of another CPU or buffer too");
			continue;
		}
		f->regions.at[n] = *r;
		/* the size that is 4 too small reaches nowhere */
		end = r->offset + r->size - (r->compressed && r->size > 4 ? 4 : 0);
		n++;
	}
	f->regions.n = n;
}

int buffer_make_regions(struct tracedat *f, struct sonde_error *err)
{
	struct sonde_trace_info *info = &f->base.info;

	for (size_t b = 0; b < f->buffers.n; b++)
		for (size_t i = 0; i < f->buffers.at[b].nr_cpus; i++)
			if (add_region(f, (uint32_t)b, &f->buffers.at[b].cpus[i]) < 0)
				return err_nomem(err);
	if (f->regions.n)
		qsort(f->regions.at, f->regions.n, sizeof(*f->regions.at), by_offset);
	drop_overlaps(f);
	info->data_offset = f->regions.n ? f->regions.at[0].offset : f->input.size;
	info->data_size = 0;
	for (size_t i = 0; i < f->regions.n; i++)
		info->data_size += f->regions.at[i].size;
	f->base.nr_bytes = info->data_size;
	return 0;
}
