/* SPDX-License-Identifier: MIT */
#include "symbol/list/bpf_lines.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <linux/bpf.h>

#include "base/cursor.h"
#include "base/sorted.h"
#include "base/u64map.h"

#define BTF_MAGIC 0xeb9f
#define LINE_OF(line_column) ((line_column) >> 10)
#define COLUMN_OF(line_column) ((line_column) & 1023)

/* Bits of sonde_bpf_prog.arrays. */
enum { HAS_JITED_KSYMS = 1 << 3, HAS_JITED_FUNC_LENS = 1 << 4, HAS_LINE_INFO = 1 << 6, HAS_JITED_LINE_INFO = 1 << 7 };

/* A program while its arrays are read. */
struct program {
	const struct sonde_bpf_prog *prog;
	bool swap;
};

/* An array of the program: elements of `size` bytes, of which the first ones are known. */
struct array {
	const uint8_t *p;
	uint32_t n, size;
};

static uint32_t info_u32(const struct program *p, size_t at)
{
	return at + 4 <= p->prog->info.len ? load_u32(p->prog->info.p + at, p->swap) : 0;
}

static uint64_t info_u64(const struct program *p, size_t at)
{
	return at + 8 <= p->prog->info.len ? load_u64(p->prog->info.p + at, p->swap) : 0;
}

#define INFO_U32(p, field) info_u32(p, offsetof(struct bpf_prog_info, field))
#define INFO_U64(p, field) info_u64(p, offsetof(struct bpf_prog_info, field))

/* An empty array if the program has none, or not all of it. */
static struct array array_at(const struct program *p, uint64_t bit, uint64_t at, uint32_t n, uint32_t size)
{
	const struct sonde_bytes *data = &p->prog->data;
	struct array a = { .n = n, .size = size };

	if (!(p->prog->arrays & bit) || !size || at > data->len || n > (data->len - at) / size)
		return (struct array){ 0 };
	a.p = data->p + at;
	return a;
}

static uint64_t u64_at(const struct program *p, const struct array *a, uint32_t i)
{
	return load_u64(a->p + (size_t)i * a->size, p->swap);
}

/* A function of a program. */
struct function {
	uint64_t start, end;
};

/* What a program is read with. */
struct reading {
	struct bpf_lines *lines;
	const struct meta *meta;
	struct u64map btf_by_id;     /* index in meta */
	VEC(struct function) functions;  /* of the program, by start */
	size_t text_left;            /* bytes of names; more than the types have can only be a fake */
};

/* The strings of the types; they end with a NUL if there are any. */
static struct sonde_str btf_strings(const struct reading *r, uint32_t id)
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
	const struct function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int read_functions(struct reading *r, const struct program *p)
{
	struct array starts = array_at(p, HAS_JITED_KSYMS, INFO_U64(p, jited_ksyms), INFO_U32(p, nr_jited_ksyms), 8);
	struct array lens = array_at(p, HAS_JITED_FUNC_LENS, INFO_U64(p, jited_func_lens),
				     INFO_U32(p, nr_jited_func_lens), 4);

	r->functions.n = 0;
	for (uint32_t i = 0; i < starts.n && i < lens.n; i++) {
		uint64_t start = u64_at(p, &starts, i);
		uint32_t len = load_u32(lens.p + (size_t)i * lens.size, p->swap);

		if (len <= UINT64_MAX - start &&
		    vec_push(&r->functions, ((struct function){ start, start + len })) < 0)
			return -SONDE_NOMEM;
	}
	if (r->functions.n)
		qsort(r->functions.at, r->functions.n, sizeof(*r->functions.at), by_start);
	return 0;
}

/* The end of the function that holds an address; 0 if none does. */
static uint64_t function_end(const struct reading *r, uint64_t addr)
{
	size_t n = sorted_nr_at_most(r->functions.at, r->functions.n, start, addr);

	return n && addr < r->functions.at[n - 1].end ? r->functions.at[n - 1].end : 0;
}

/* False: there is no memory for it. */
static bool add_line(struct reading *r, uint64_t addr, uint64_t end, struct sonde_str file, uint32_t line_column)
{
	struct bpf_lines *l = r->lines;
	size_t known = l->files.names.n;
	uint32_t name = strpool_add(&l->files, file.p, file.len);
	struct bpf_line line = { .addr = addr, .end = end, .line = LINE_OF(line_column),
				 .column = COLUMN_OF(line_column) };

	if (name == UINT32_MAX)
		return false;
	if (known && l->files.names.n > known)
		r->text_left -= file.len < r->text_left ? file.len : r->text_left;
	line.file = strpool_get(&l->files, name);
	return vec_push(&l->list, line) == 0;
}

static int add_program(struct reading *r, const struct program *p)
{
	struct array lines = array_at(p, HAS_LINE_INFO, INFO_U64(p, line_info), INFO_U32(p, nr_line_info),
				      INFO_U32(p, line_info_rec_size));
	struct array addrs = array_at(p, HAS_JITED_LINE_INFO, INFO_U64(p, jited_line_info),
				      INFO_U32(p, nr_jited_line_info), INFO_U32(p, jited_line_info_rec_size));
	struct sonde_str strings = btf_strings(r, INFO_U32(p, btf_id));

	if (lines.size < sizeof(struct bpf_line_info) || addrs.size < 8 || !strings.len)
		return 0;
	if (read_functions(r, p) < 0)
		return -SONDE_NOMEM;
	r->text_left = strings.len;
	for (uint32_t i = 0; i < lines.n && i < addrs.n && r->text_left; i++) {
		const uint8_t *line = lines.p + (size_t)i * lines.size;
		uint32_t at = load_u32(line + offsetof(struct bpf_line_info, file_name_off), p->swap);
		uint32_t line_column = load_u32(line + offsetof(struct bpf_line_info, line_col), p->swap);
		uint64_t addr = u64_at(p, &addrs, i), end = function_end(r, addr);
		struct sonde_str file;

		if (!end || at >= strings.len)
			continue;
		file = (struct sonde_str){ strings.p + at, strnlen(strings.p + at, PATH_MAX) };
		if (!add_line(r, addr, end, file, line_column))
			return -SONDE_NOMEM;
	}
	return 0;
}

static int by_addr(const void *a, const void *b)
{
	const struct bpf_line *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

int bpf_lines_add(struct bpf_lines *l, const struct meta *meta)
{
	struct reading reading = { .lines = l, .meta = meta };
	int r = 0;

	for (size_t i = 0; i < meta->nr_btfs && r == 0; i++)
		r = u64map_set(&reading.btf_by_id, meta->btfs[i].id, (uint32_t)i);
	for (size_t i = 0; i < meta->nr_bpf_progs && r == 0; i++) {
		struct program p = { .prog = &meta->bpf_progs[i] };

		/* the number of the program, which is known, shows the recorder's byte order */
		p.swap = INFO_U32(&p, id) != p.prog->id;
		if (INFO_U32(&p, id) == p.prog->id)
			r = add_program(&reading, &p);
	}
	if (l->list.n)
		qsort(l->list.at, l->list.n, sizeof(*l->list.at), by_addr);
	u64map_free(&reading.btf_by_id);
	vec_free(&reading.functions);
	return r;
}

const struct bpf_line *bpf_lines_find(const struct bpf_lines *l, uint64_t addr)
{
	size_t n = sorted_nr_at_most(l->list.at, l->list.n, addr, addr);

	return n && addr < l->list.at[n - 1].end ? &l->list.at[n - 1] : NULL;
}

void bpf_lines_free(struct bpf_lines *l)
{
	strpool_free(&l->files);
	vec_free(&l->list);
}
