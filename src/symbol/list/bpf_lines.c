/* SPDX-License-Identifier: MIT */
#include "symbol/list/bpf_lines.h"

#include <limits.h>
#include <string.h>

#include "base/cursor.h"
#include "base/sorted.h"
#include "base/u64map.h"
#include "symbol/list/bpf_info.h"

#define BTF_MAGIC 0xeb9f
#define LINE_OF(line_column) ((line_column) >> 10)
#define COLUMN_OF(line_column) ((line_column) & 1023)

/* A function of a program. */
struct function_range {
	uint64_t start, end;
};

/* The state while a program is read. */
struct bpf_reading {
	struct bpf_lines *lines;
	const struct meta *meta;
	struct u64map btf_by_id;     /* index in meta */
	VEC(struct function_range) functions; /* of the program, by start */
	size_t text_left;            /* bytes of names; more than the types have can only be a fake */
};

/* The strings of the types; they end with a NUL if there are any. */
static struct sonde_str btf_strings(const struct bpf_reading *r, uint32_t id)
{
	static const struct sonde_str none = { "", 0 };
	uint32_t i = u64map_get(&r->btf_by_id, id), header, at, len;
	const struct sonde_bytes *data;
	struct cursor c;

	if (i == U64MAP_NONE)
		return none;
	data = &r->meta->btfs[i].data;
	c = cur_new(data->p, data->len, 0, false, NULL);
	c.swap = cur_u16(&c) != BTF_MAGIC;
	cur_u16(&c);  /* version, flags */
	header = cur_u32(&c);
	cur_u64(&c);  /* where the types are */
	at = cur_u32(&c);
	len = cur_u32(&c);
	c = cur_new(data->p, data->len, 0, c.swap, NULL);
	cur_take(&c, (uint64_t)header + at);
	return cur_ok(&c) && len && len <= cur_left(&c) && !c.p[len - 1] ?
		(struct sonde_str){ (const char *)c.p, len } : none;
}

static int by_start(const void *a, const void *b)
{
	const struct function_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int read_functions(struct bpf_reading *r, const struct bpf_info *p)
{
	struct bpf_array starts = bpf_info_starts(p), lens = bpf_info_lens(p);

	r->functions.n = 0;
	for (uint32_t i = 0; i < starts.n && i < lens.n; i++) {
		uint64_t start = bpf_array_u64(p, &starts, i);
		uint32_t len = bpf_array_u32(p, &lens, i);

		if (len <= UINT64_MAX - start &&
		    vec_push(&r->functions, ((struct function_range){ start, start + len })) < 0)
			return -SONDE_NOMEM;
	}
	if (r->functions.n)
		qsort(r->functions.at, r->functions.n, sizeof(*r->functions.at), by_start);
	return 0;
}

/* The function that holds an address; NULL if none does. */
static const struct function_range *find_function(const struct bpf_reading *r, uint64_t addr)
{
	size_t n = sorted_nr_at_most(r->functions.at, r->functions.n, start, addr);

	return n && addr < r->functions.at[n - 1].end ? &r->functions.at[n - 1] : NULL;
}

/* A string of the types, kept; NULL: there is no memory for it. */
static const char *keep(struct bpf_reading *r, struct sonde_str strings, uint32_t at)
{
	struct strpool *texts = &r->lines->texts;
	size_t known = texts->names.n, len = at < strings.len ? strnlen(strings.p + at, PATH_MAX) : 0;
	uint32_t number = strpool_add(texts, at < strings.len ? strings.p + at : "", len);

	if (number == UINT32_MAX)
		return NULL;
	if (known && texts->names.n > known)
		r->text_left -= len < r->text_left ? len : r->text_left;
	return strpool_get(texts, number);
}

static int add_program(struct bpf_reading *r, const struct bpf_info *p)
{
	struct bpf_array lines = bpf_info_array(p, BPF_HAS_LINE_INFO, BPF_INFO_U64(p, line_info),
						BPF_INFO_U32(p, nr_line_info), BPF_INFO_U32(p, line_info_rec_size));
	struct bpf_array addrs = bpf_info_array(p, BPF_HAS_JITED_LINE_INFO, BPF_INFO_U64(p, jited_line_info),
						BPF_INFO_U32(p, nr_jited_line_info),
						BPF_INFO_U32(p, jited_line_info_rec_size));
	struct sonde_str strings = btf_strings(r, BPF_INFO_U32(p, btf_id));

	if (lines.size < sizeof(struct bpf_line_info) || addrs.size < 8 || !strings.len)
		return 0;
	if (read_functions(r, p) < 0)
		return -SONDE_NOMEM;
	r->text_left = strings.len;
	for (uint32_t i = 0; i < lines.n && i < addrs.n && r->text_left; i++) {
		const uint8_t *line = lines.p + (size_t)i * lines.size;
		uint32_t at = load_u32(line + offsetof(struct bpf_line_info, file_name_off), p->swap);
		uint32_t line_column = load_u32(line + offsetof(struct bpf_line_info, line_col), p->swap);
		uint64_t addr = bpf_array_u64(p, &addrs, i);
		const struct function_range *f = find_function(r, addr);
		struct bpf_line known = { .addr = addr, .line = LINE_OF(line_column),
					  .column = COLUMN_OF(line_column) };

		if (!f || at >= strings.len)
			continue;
		known.start = f->start;
		known.end = f->end;
		known.file = keep(r, strings, at);
		known.text = keep(r, strings, load_u32(line + offsetof(struct bpf_line_info, line_off), p->swap));
		if (!known.file || !known.text || vec_push(&r->lines->list, known) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

static int by_function(const void *a, const void *b)
{
	const struct bpf_line *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

int bpf_lines_add(struct bpf_lines *l, const struct meta *meta)
{
	struct bpf_reading reading = { .lines = l, .meta = meta };
	int r = 0;

	for (size_t i = 0; i < meta->nr_btfs && r == 0; i++)
		r = u64map_set(&reading.btf_by_id, meta->btfs[i].id, (uint32_t)i);
	for (size_t i = 0; i < meta->nr_bpf_progs && r == 0; i++) {
		struct bpf_info p;

		if (bpf_info_open(&p, &meta->bpf_progs[i]))
			r = add_program(&reading, &p);
	}
	if (l->list.n)
		qsort(l->list.at, l->list.n, sizeof(*l->list.at), by_function);
	u64map_free(&reading.btf_by_id);
	vec_free(&reading.functions);
	return r;
}

const struct bpf_line *bpf_lines_find(const struct bpf_lines *l, uint64_t start, uint64_t addr)
{
	size_t first = start ? sorted_nr_at_most(l->list.at, l->list.n, start, start - 1) : 0;
	size_t n = sorted_nr_at_most(l->list.at, l->list.n, start, start) - first;
	const struct bpf_line *lines;

	if (n == 0)
		return NULL;
	lines = l->list.at + first;
	n = sorted_nr_at_most(lines, n, addr, addr);
	return n && addr < lines[n - 1].end ? &lines[n - 1] : NULL;
}

void bpf_lines_free(struct bpf_lines *l)
{
	strpool_free(&l->texts);
	vec_free(&l->list);
}
