/* SPDX-License-Identifier: MIT */
#include "symbol/list/jitdump.h"

#include <string.h>
#include <sys/stat.h>

#include "base/cursor.h"
#include "base/sorted.h"

#define MAGIC UINT32_C(0x4a695444)
#define MAGIC_SWAPPED UINT32_C(0x4454694a)
#define FLAG_ARCH_TIMESTAMP 1
#define NAME_MOST 65536              /* bytes of a name, and of the numbers before it */
#define WINDOW_BYTES ((size_t)256 << 10)

enum { HEADER_BYTES = 40, PREFIX_BYTES = 16, LOAD_BYTES = 40, MOVE_BYTES = 48, DEBUG_BYTES = 16, UNWIND_BYTES = 24 };
enum { RECORD_LOAD, RECORD_MOVE, RECORD_DEBUG_INFO, RECORD_CLOSE, RECORD_UNWINDING_INFO };

struct jitdump_reading {
	struct jitdump *d;
	uint8_t *window;
	uint64_t window_at;
	size_t window_n;
	bool sorted, failed;
};

static int64_t read_at(const struct jitdump *d, uint64_t at, void *to, size_t n)
{
	if (d->in.fd >= 0)
		return input_read(d->in.fd, at, to, n, NULL);
	if (at >= d->in.map.size)
		return 0;
	n = n < d->in.map.size - at ? n : (size_t)(d->in.map.size - at);
	memcpy(to, d->in.map.data + at, n);
	return (int64_t)n;
}

bool jitdump_bytes(const struct jitdump *d, uint64_t offset, void *out, size_t size)
{
	return read_at(d, offset, out, size) == (int64_t)size;
}

/* n bytes of the file, at most WINDOW_BYTES, as long as no others are asked for; NULL if they are not there. */
static const uint8_t *bytes_at(struct jitdump_reading *r, uint64_t at, size_t n)
{
	int64_t have;

	if (at < r->window_at || n > r->window_n || at - r->window_at > r->window_n - n) {
		have = read_at(r->d, at, r->window, WINDOW_BYTES);
		r->window_at = at;
		r->window_n = have > 0 ? (size_t)have : 0;
	}
	return n <= r->window_n ? r->window + (at - r->window_at) : NULL;
}

static void add_change(struct jitdump_reading *r, uint64_t time, uint64_t start, const struct jitdump_function *f)
{
	struct jit_change c = { .time = time, .start = start, .end = start + f->size, .offset = f->offset };

	if (r->d->list.n && time < r->d->list.at[r->d->list.n - 1].time)
		r->sorted = false;
	r->failed |= vec_push(&r->d->list, c) < 0;
}

static bool take_load(struct jitdump_reading *r, struct cursor *c, uint64_t at, uint64_t size, uint64_t time)
{
	struct jitdump *d = r->d;
	struct jitdump_function f = r->d->next;
	uint64_t start, index;
	size_t name_size;

	cur_take(c, 16);  /* pid, tid, vma */
	start = cur_u64(c);
	f.size = cur_u64(c);
	index = cur_u64(c);
	/* lines of a function whose LOAD was never written are not those of this one */
	if (r->d->lines_of != start)
		f.lines_size = 0;
	r->d->next = (struct jitdump_function){ 0 };
	if (!cur_ok(c) || f.size > size - PREFIX_BYTES - LOAD_BYTES || f.size > UINT64_MAX - start)
		return false;
	if (!f.size)
		return true;  /* a name without code */
	name_size = strnlen((const char *)c->p, cur_left(c));
	if (!name_size || name_size == cur_left(c) || name_size >= size - PREFIX_BYTES - LOAD_BYTES - f.size ||
	    name_size >= SYMTAB_PLT - d->names.n - 1)
		return false;
	f.start = start;
	f.offset = at + size - f.size;
	f.name = (uint32_t)d->names.n;
	if (d->functions.n == SYMTAB_NONE - 1 || vec_reserve(&d->names, name_size + 1) < 0 ||
	    u64map_set(&r->d->by_index, index, (uint32_t)d->functions.n) < 0 || vec_push(&d->functions, f) < 0) {
		r->failed = true;
		return false;
	}
	memcpy(d->names.at + d->names.n, c->p, name_size + 1);
	d->names.n += name_size + 1;
	add_change(r, time, start, &f);
	return true;
}

/* The code keeps its name and size; what was at the old address stays there until something else comes. */
static bool take_move(struct jitdump_reading *r, struct cursor *c, uint64_t time)
{
	const struct jitdump_function *f;
	uint64_t start, size;
	uint32_t i;

	cur_take(c, 24);  /* pid, tid, vma, old address */
	start = cur_u64(c);
	size = cur_u64(c);
	i = u64map_get(&r->d->by_index, cur_u64(c));
	f = cur_ok(c) && i != U64MAP_NONE ? &r->d->functions.at[i] : NULL;
	if (!f || f->size != size || size > UINT64_MAX - start)
		return false;
	add_change(r, time, start, f);
	return true;
}

static bool take_lines(struct jitdump_reading *r, struct cursor *c, uint64_t at, uint64_t size)
{
	r->d->lines_of = cur_u64(c);
	r->d->next.nr_lines = cur_u64(c);
	r->d->next.lines_at = at + PREFIX_BYTES + DEBUG_BYTES;
	r->d->next.lines_size = cur_ok(c) ? (uint32_t)(size - PREFIX_BYTES - DEBUG_BYTES) : 0;
	return cur_ok(c);
}

static bool take_unwinding(struct jitdump_reading *r, struct cursor *c, uint64_t at, uint64_t size)
{
	uint64_t bytes = cur_u64(c), hdr_bytes = cur_u64(c);

	cur_u64(c);  /* how much of it is mapped in the process */
	if (!cur_ok(c) || bytes > size - PREFIX_BYTES - UNWIND_BYTES || hdr_bytes > bytes)
		return false;
	r->d->next.unwind_at = at + PREFIX_BYTES + UNWIND_BYTES;
	r->d->next.unwind_size = (uint32_t)bytes;
	r->d->next.hdr_size = (uint32_t)hdr_bytes;
	return true;
}

/* False at the end of the dump: its own, or the place where it makes no sense any more. */
static bool take_record(struct jitdump_reading *r, uint64_t *at)
{
	struct jitdump *d = r->d;
	const uint8_t *p = bytes_at(r, *at, PREFIX_BYTES);
	struct cursor c = cur_new(p, p ? PREFIX_BYTES : 0, *at, d->swap, NULL);
	uint32_t id = cur_u32(&c), size = cur_u32(&c);
	uint64_t time = cur_u64(&c);
	bool good = true;
	size_t head;

	if (!p || d->in.size - *at < size)
		return false;  /* the writer still works on it, or was killed */
	if (size < PREFIX_BYTES) {
		d->nr_bad++;
		d->ended = true;
		return false;
	}
	head = size - PREFIX_BYTES < NAME_MOST ? size - PREFIX_BYTES : NAME_MOST;
	p = bytes_at(r, *at + PREFIX_BYTES, head);
	if (!p)
		return false;
	c = cur_new(p, head, *at + PREFIX_BYTES, d->swap, NULL);
	switch (id) {
	case RECORD_LOAD: good = take_load(r, &c, *at, size, time); break;
	case RECORD_MOVE: good = take_move(r, &c, time); break;
	case RECORD_DEBUG_INFO: good = take_lines(r, &c, *at, size); break;
	case RECORD_UNWINDING_INFO: good = take_unwinding(r, &c, *at, size); break;
	}
	d->nr_bad += !good;
	*at += size;
	return !r->failed;
}

static int by_time(const void *a, const void *b)
{
	const struct jit_change *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Where the first record is; 0 for what is not a dump. */
static uint64_t take_header(struct jitdump_reading *r, struct sonde_error *err)
{
	const uint8_t *p = bytes_at(r, 0, HEADER_BYTES);
	struct cursor c = cur_new(p, p ? HEADER_BYTES : 0, 0, false, NULL);
	uint32_t magic = cur_u32(&c), version, size;
	uint64_t flags;

	r->d->swap = c.swap = magic == MAGIC_SWAPPED;
	version = cur_u32(&c);
	size = cur_u32(&c);
	r->d->machine = (uint16_t)cur_u32(&c);
	cur_u32(&c);
	r->d->pid = cur_u32(&c);
	cur_u64(&c);  /* time of the header */
	flags = cur_u64(&c);
	if (!p || (magic != MAGIC && magic != MAGIC_SWAPPED))
		err_set(err, SONDE_FORMAT, 0, "is not a jitdump");
	else if (version != 1)
		err_set(err, SONDE_UNSUPPORTED, 4, "is a jitdump of version %u, not 1", version);
	else if (size < HEADER_BYTES)
		err_set(err, SONDE_CORRUPT, 8, "the header of a jitdump has %d bytes, not %u", HEADER_BYTES, size);
	else if (flags & ~(uint64_t)FLAG_ARCH_TIMESTAMP)
		err_set(err, SONDE_UNSUPPORTED, 32, "has unknown flags (0x%" PRIx64 ")", flags);
	else
		goto good;
	return 0;
good:
	r->d->changes.other_clock = flags & FLAG_ARCH_TIMESTAMP;
	return size;
}

/* The records from read_to on. Their changes come after those before them. */
static int take_records(struct jitdump_reading *r)
{
	struct jitdump *d = r->d;
	size_t before = d->list.n;

	while (d->read_to < d->in.size && !d->ended && take_record(r, &d->read_to))
		;
	if (!r->sorted)
		qsort(d->list.at + before, d->list.n - before, sizeof(*d->list.at), by_time);
	d->changes.at = d->list.at;
	d->changes.n = d->list.n;
	return r->failed ? -SONDE_NOMEM : d->list.n > before;
}

int jitdump_read(struct jitdump *d, struct input in, struct sonde_error *err)
{
	struct jitdump_reading r = { .d = d, .sorted = true };
	struct sonde_error first = { 0 };

	*d = (struct jitdump){ .in = in };
	r.window = malloc(WINDOW_BYTES);
	if (!r.window)
		return err_nomem(err);
	d->read_to = take_header(&r, &first);
	if (d->read_to && take_records(&r) < 0)
		err_nomem(&first);
	free(r.window);
	return first.code ? err_set(err, first.code, first.file_offset, "%s", first.text) : 0;
}

int jitdump_read_on(struct jitdump *d)
{
	struct jitdump_reading r = { .d = d, .sorted = true };
	struct stat st;
	int n;

	if (d->in.fd < 0 || d->ended || fstat(d->in.fd, &st) < 0 || (uint64_t)st.st_size <= d->in.size)
		return 0;
	r.window = malloc(WINDOW_BYTES);
	if (!r.window)
		return -SONDE_NOMEM;
	d->in.size = (uint64_t)st.st_size;
	n = take_records(&r);
	free(r.window);
	return n;
}

void jitdump_close(struct jitdump *d)
{
	input_close(&d->in);
	vec_free(&d->functions);
	vec_free(&d->list);
	vec_free(&d->names);
	u64map_free(&d->by_index);
}

void jitdump_add(const struct jitdump *d, struct symtab_builder *b)
{
	uint32_t names;
	char *to = d->functions.n ? symtab_builder_strings(b, d->names.n, &names) : NULL;

	if (!to)
		return;
	memcpy(to, d->names.at, d->names.n);
	for (size_t i = 0; i < d->functions.n; i++) {
		const struct jitdump_function *f = &d->functions.at[i];

		symtab_builder_add(b, &(struct symtab_raw){
			.start = f->offset, .size = f->size < UINT32_MAX ? (uint32_t)f->size : UINT32_MAX,
			.name = names + f->name, .binding = SYMTAB_GLOBAL });
	}
}

static int by_start(const void *a, const void *b)
{
	const struct jit_change *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

int jitdump_reuses(const struct jitdump *d)
{
	size_t n = d->list.n;
	struct jit_change *sorted = malloc(n * sizeof(*sorted) + 1);
	uint64_t end = 0;
	bool found = false;

	if (!sorted)
		return -SONDE_NOMEM;
	if (n)
		memcpy(sorted, d->list.at, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_start);
	for (size_t i = 0; i < n && !found; i++) {
		found = sorted[i].start < end;
		end = sorted[i].end > end ? sorted[i].end : end;
	}
	free(sorted);
	return found;
}

const struct jitdump_function *jitdump_find(const struct jitdump *d, uint64_t offset)
{
	size_t n = sorted_nr_at_most(d->functions.at, d->functions.n, offset, offset);
	const struct jitdump_function *f = n ? &d->functions.at[n - 1] : NULL;

	return f && offset - f->offset < f->size ? f : NULL;
}
