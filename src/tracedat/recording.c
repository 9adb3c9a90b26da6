/* SPDX-License-Identifier: MIT */
/*
 * A trace.dat of version 7 that grows and can be read at every moment:
 *
 *	head, metadata, command lines with room for more, strings, options, then the lanes of each buffer's CPUs
 *
 * The pages of one CPU must lie in a row, and nobody knows how many there will be: each CPU has a lane of its own in a file that
 * is mostly holes. What a lane holds is told by its size in option BUFFER, which is written after the pages. A CPU whose lane
 * is full gets one more at the end of the file, an entry of its own; sonde reads that, trace-cmd does not.
 * In the end the pages are copied into a file without holes, which then takes the name.
 */
#include "tracedat/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "model/output.h"
#include "tracedat/recording_blocks.h"
#include "tracedat/tracedat.h"

#define OPTION_DONE 0
#define OPTION_BUFFER 3
#define OPTION_TRACECLOCK 4
#define OPTION_UNAME 5
#define OPTION_CPUCOUNT 8
#define OPTION_VERSION 9
#define OPTION_TRACEID 11

#define ENTRY_BYTES 20               /* u32 cpu, u64 offset, u64 size */
#define LANES_BYTES (UINT64_C(16) << 30)     /* all first lanes together */
#define LANE_MIN_BYTES (UINT64_C(1) << 30)
#define LANE_LEAST_BYTES (UINT64_C(1) << 22) /* where files may not become larger */
#define LANES_PER_CPU 8
#define LANE_ALIGN (UINT64_C(1) << 20)       /* no sub-buffer is larger */
#define NAMES_ROOM (UINT64_C(1) << 20)

struct lane {
	uint64_t at, size, used;
	uint64_t entry_at;           /* its entry in the file; 0: none yet */
};

struct lanes {
	VEC(struct lane) of;         /* the newest is the last */
};

struct buffer {
	char *name, *clock;
	uint32_t page_size;
	int32_t *cpus;
	size_t nr_cpus;
	struct lanes *lanes;         /* by index of cpus */
	uint64_t table_at;           /* u32 number of entries, entries */
	uint32_t nr_entries, max_entries;
	uint64_t section_at;
};

struct recording {
	struct page_sink base;
	char *path;
	int version, fd;
	struct buffer *buffers;
	size_t nr_buffers;
	uint64_t lane_bytes, end;    /* end of the file */
	uint64_t names_at, names_bytes;  /* the u64 before the command lines; how many bytes of them there are */
	uint64_t names_max;          /* and can be */
	pthread_mutex_t lock;        /* of what comes and goes with new lanes */
};

static struct recording *of(struct page_sink *s)
{
	return (struct recording *)s;
}

static int write_at(struct recording *r, const void *bytes, size_t n, uint64_t at, struct sonde_error *err)
{
	const char *p = bytes;

	while (n > 0) {
		ssize_t w = pwrite(r->fd, p, n, (off_t)at);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return err_sys(err, errno, "cannot write the recording");
		p += w;
		at += (uint64_t)w;
		n -= (size_t)w;
	}
	return 0;
}

static int write_u64(struct recording *r, uint64_t v, uint64_t at, struct sonde_error *err)
{
	return write_at(r, &v, sizeof(v), at, err);
}

/* ---- what stands before the pages ---- */

/* Where things that become known later are, as offsets in the file. */
struct places {
	size_t names;                /* the size of the command lines */
	size_t *sections;            /* of each buffer: the offset of its section */
	size_t *tables;              /* and its number of entries */
};

static const struct {
	uint16_t id;
	const char *name;
} section_names[] = {
	{ SECTION_HEADER_INFO, "headers" }, { SECTION_FTRACE_FORMATS, "ftrace events" }, { SECTION_EVENT_FORMATS, "events format" },
	{ SECTION_KALLSYMS, "kallsyms" }, { SECTION_PRINTK, "printk" }, { SECTION_MODULES, "modules" },
	{ SECTION_CMDLINES, "command lines" }, { SECTION_OPTIONS, "options" }, { SECTION_STRINGS, "strings" },
	{ SECTION_BUFFER, "buffer flyrecord" },
};

static uint32_t description_of(uint16_t id)
{
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(section_names) && section_names[i].id != id; i++)
		at += strlen(section_names[i].name) + 1;
	return (uint32_t)at;
}

static void put_strings(struct buf *b)
{
	size_t size_at = dat_put_section(b, SECTION_STRINGS, description_of(SECTION_STRINGS), 0);

	for (size_t i = 0; i < ARRAY_SIZE(section_names); i++)
		put_strz(b, section_names[i].name);
	dat_end_section(b, size_at);
}

static void put_block(struct buf *b, uint16_t id, const struct page_meta *meta)
{
	switch (id) {
	case SECTION_HEADER_INFO:
		dat_put_header_info(b, meta);
		break;
	case SECTION_FTRACE_FORMATS:
		dat_put_ftrace_formats(b, meta);
		break;
	case SECTION_EVENT_FORMATS:
		dat_put_event_formats(b, meta);
		break;
	case SECTION_KALLSYMS:
		dat_put_text32(b, meta->kallsyms);
		break;
	case SECTION_PRINTK:
		dat_put_text32(b, meta->printk);
		break;
	case SECTION_MODULES:
		dat_put_text32(b, meta->modules);
		break;
	default:
		dat_put_text64(b, meta->cmdlines);
		break;
	}
}

static void put_common_options(struct buf *b, const struct page_meta *meta)
{
	dat_put_option_strz(b, OPTION_TRACECLOCK, meta->trace_clock);
	dat_put_option_strz(b, OPTION_UNAME, meta->uname);
	dat_put_option_strz(b, OPTION_VERSION, meta->version);
	dat_put_option(b, OPTION_TRACEID, &meta->trace_id, sizeof(meta->trace_id));
	for (size_t i = 0; i < meta->nr_notes; i++)
		dat_put_option_strz(b, meta->notes[i].id, meta->notes[i].text);
}

/* Option BUFFER with room for so many entries, of which none is there yet. */
static void put_buffer_option(struct buf *b, const struct page_buffer *pb, uint32_t room, size_t *section, size_t *table)
{
	put_u16(b, OPTION_BUFFER, false);
	put_u32(b, (uint32_t)(8 + strlen(pb->name) + 1 + strlen(pb->clock) + 1 + 8 + (size_t)room * ENTRY_BYTES), false);
	*section = b->n;
	put_u64(b, 0, false);
	put_strz(b, pb->name);
	put_strz(b, pb->clock);
	put_u32(b, pb->page_size, false);
	*table = b->n;
	put_u32(b, 0, false);
	buf_pad(b, 0, (size_t)room * ENTRY_BYTES);
}

/* All of version 7 but the pages. @growing: with room for what a recording may still learn. */
static void put_metadata(struct buf *b, const struct page_meta *meta, bool growing, struct places *out)
{
	static const uint16_t ids[] = { SECTION_HEADER_INFO, SECTION_FTRACE_FORMATS, SECTION_EVENT_FORMATS, SECTION_KALLSYMS,
					SECTION_PRINTK, SECTION_MODULES, SECTION_CMDLINES };
	uint64_t at[ARRAY_SIZE(ids)];
	size_t head_at = dat_put_head(b, 7, meta->buffers[0].page_size), size_at;

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		at[i] = b->n;
		if (ids[i] == SECTION_MODULES && !meta->modules.len)
			continue;
		size_at = dat_put_section(b, ids[i], description_of(ids[i]), 0);
		if (ids[i] == SECTION_CMDLINES)
			out->names = b->n;
		put_block(b, ids[i], meta);
		if (ids[i] == SECTION_CMDLINES && growing)
			buf_pad(b, 0, NAMES_ROOM);
		dat_end_section(b, size_at);
	}
	put_strings(b);
	dat_patch_u64(b, head_at, b->n);
	size_at = dat_put_section(b, SECTION_OPTIONS, description_of(SECTION_OPTIONS), 0);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (ids[i] != SECTION_MODULES || meta->modules.len)
			dat_put_option(b, ids[i], &at[i], sizeof(at[i]));
	put_common_options(b, meta);
	dat_put_option(b, OPTION_CPUCOUNT, &meta->nr_cpus, sizeof(meta->nr_cpus));
	for (size_t i = 0; i < meta->nr_buffers; i++)
		put_buffer_option(b, &meta->buffers[i], (uint32_t)meta->buffers[i].nr_cpus * (growing ? LANES_PER_CPU : 1),
				  &out->sections[i], &out->tables[i]);
	dat_put_option(b, OPTION_DONE, &(uint64_t){ 0 }, sizeof(uint64_t));
	dat_end_section(b, size_at);
}

static int places_init(struct places *p, size_t nr_buffers, struct sonde_error *err)
{
	p->sections = calloc(nr_buffers, sizeof(*p->sections));
	p->tables = calloc(nr_buffers, sizeof(*p->tables));
	return p->sections && p->tables ? 0 : err_nomem(err);
}

static void places_free(struct places *p)
{
	free(p->sections);
	free(p->tables);
}

/* ---- while it grows ---- */

static int copy_buffers(struct recording *r, const struct page_meta *meta, struct sonde_error *err)
{
	r->buffers = calloc(meta->nr_buffers, sizeof(*r->buffers));
	if (!r->buffers)
		return err_nomem(err);
	for (size_t i = 0; i < meta->nr_buffers; i++) {
		const struct page_buffer *from = &meta->buffers[i];
		struct buffer *to = &r->buffers[r->nr_buffers++];

		to->page_size = from->page_size;
		to->nr_cpus = from->nr_cpus;
		to->max_entries = (uint32_t)from->nr_cpus * LANES_PER_CPU;
		to->name = strdup(from->name);
		to->clock = strdup(from->clock);
		to->cpus = calloc(from->nr_cpus ? from->nr_cpus : 1, sizeof(*to->cpus));
		to->lanes = calloc(from->nr_cpus ? from->nr_cpus : 1, sizeof(*to->lanes));
		if (!to->name || !to->clock || !to->cpus || !to->lanes)
			return err_nomem(err);
		memcpy(to->cpus, from->cpus, from->nr_cpus * sizeof(*to->cpus));
	}
	return 0;
}

/* How large the first lanes are: a file may not become as large as one likes everywhere. */
static int choose_lane_bytes(struct recording *r, uint64_t begin, struct sonde_error *err)
{
	uint64_t nr_lanes = 0, limit = UINT64_MAX;
	struct rlimit rl;

	for (size_t i = 0; i < r->nr_buffers; i++)
		nr_lanes += r->buffers[i].nr_cpus;
	if (nr_lanes == 0)
		return 0;
	if (getrlimit(RLIMIT_FSIZE, &rl) == 0 && rl.rlim_cur != RLIM_INFINITY)
		limit = rl.rlim_cur;
	r->lane_bytes = LANES_BYTES / nr_lanes;
	if (r->lane_bytes < LANE_MIN_BYTES)
		r->lane_bytes = LANE_MIN_BYTES;
	r->lane_bytes &= ~(LANE_ALIGN - 1);
	for (; r->lane_bytes >= LANE_LEAST_BYTES; r->lane_bytes /= 2) {
		uint64_t end = begin + (nr_lanes + r->nr_buffers + 1) * LANE_ALIGN + nr_lanes * r->lane_bytes;

		if (end <= limit && ftruncate(r->fd, (off_t)end) == 0)
			return 0;
	}
	return err_set(err, SONDE_SYSTEM, SONDE_NONE, "a file may not become large enough there for the pages of %llu CPUs (ulimit -f?)",
		       (unsigned long long)nr_lanes);
}

static int add_lane(struct lanes *l, uint64_t at, uint64_t size, struct sonde_error *err)
{
	return vec_push(&l->of, ((struct lane){ .at = at, .size = size })) < 0 ? err_nomem(err) : 0;
}

/* The sections of the buffers, one behind the other, each with a lane for every CPU. */
static int lay_out(struct recording *r, uint64_t at, const struct places *p, struct sonde_error *err)
{
	int e = choose_lane_bytes(r, at, err);

	for (size_t i = 0; i < r->nr_buffers && e == 0; i++) {
		struct buffer *b = &r->buffers[i];
		struct buf head = BUF_MEMORY;
		uint64_t section = at;

		b->section_at = section;
		b->table_at = p->tables[i];
		at = ALIGN_UP(at + 16, LANE_ALIGN);
		for (size_t c = 0; c < b->nr_cpus && e == 0; c++, at += r->lane_bytes)
			e = add_lane(&b->lanes[c], at, r->lane_bytes, err);
		dat_put_section(&head, SECTION_BUFFER, description_of(SECTION_BUFFER), at - (section + 16));
		if (e == 0)
			e = head.failed ? err_nomem(err) : write_at(r, head.p, head.n, section, err);
		if (e == 0)
			e = write_u64(r, section, p->sections[i], err);
		buf_free(&head);
	}
	r->end = at;
	if (e == 0 && ftruncate(r->fd, (off_t)at) < 0)
		e = err_sys(err, errno, "cannot make room for the recording");
	return e;
}

static int recording_start(struct page_sink *s, const struct page_meta *meta, struct sonde_error *err)
{
	struct recording *r = of(s);
	struct places p = { 0 };
	struct buf b = BUF_MEMORY;
	int e = copy_buffers(r, meta, err);

	if (e == 0)
		e = places_init(&p, meta->nr_buffers, err);
	if (e == 0) {
		put_metadata(&b, meta, true, &p);
		e = b.failed ? err_nomem(err) : write_at(r, b.p, b.n, 0, err);
	}
	if (e == 0) {
		r->names_at = p.names;
		r->names_bytes = meta->cmdlines.len;
		r->names_max = r->names_bytes + NAMES_ROOM;
		r->base.bytes = b.n - NAMES_ROOM;
		e = lay_out(r, b.n, &p, err);
	}
	buf_free(&b);
	places_free(&p);
	return e;
}

/* One more lane for a CPU, twice as large as the one before. */
static int grow(struct recording *r, struct buffer *b, struct lanes *l, struct sonde_error *err)
{
	uint64_t size = l->of.at[l->of.n - 1].size * 2, at = r->end;
	const struct buffer *last = &r->buffers[r->nr_buffers - 1];
	int e;

	if (b->nr_entries >= b->max_entries)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "the recording has become too large for its file");
	while (ftruncate(r->fd, (off_t)(at + size)) < 0) {
		if (size < LANE_LEAST_BYTES)
			return err_sys(err, errno, "cannot make room for the recording");
		size = size / 2 & ~(LANE_ALIGN - 1);
	}
	r->end = at + size;
	e = write_u64(r, r->end - (last->section_at + 16), last->section_at + 8, err);
	return e < 0 ? e : add_lane(l, at, size, err);
}

static int recording_lane(struct page_sink *s, size_t buffer, size_t cpu, struct page_lane *out, struct sonde_error *err)
{
	struct recording *r = of(s);
	struct buffer *b = &r->buffers[buffer];
	struct lanes *l = &b->lanes[cpu];
	const struct lane *newest;
	int e = 0;

	pthread_mutex_lock(&r->lock);
	if (l->of.at[l->of.n - 1].used)
		e = grow(r, b, l, err);
	newest = &l->of.at[l->of.n - 1];
	*out = (struct page_lane){ r->fd, newest->at, newest->size };
	pthread_mutex_unlock(&r->lock);
	return e;
}

/* Its first pages are there: it becomes one of the entries. */
static int add_entry(struct recording *r, struct buffer *b, size_t cpu, struct lane *lane, uint64_t used, struct sonde_error *err)
{
	struct buf entry = BUF_MEMORY;
	uint32_t nr;
	int e;

	pthread_mutex_lock(&r->lock);
	nr = b->nr_entries;
	lane->entry_at = b->table_at + 4 + (uint64_t)nr * ENTRY_BYTES;
	put_u32(&entry, (uint32_t)b->cpus[cpu], false);
	put_u64(&entry, lane->at, false);
	put_u64(&entry, used, false);
	e = entry.failed ? err_nomem(err) : write_at(r, entry.p, entry.n, lane->entry_at, err);
	b->nr_entries = ++nr;
	if (e == 0)
		e = write_at(r, &nr, sizeof(nr), b->table_at, err);
	pthread_mutex_unlock(&r->lock);
	buf_free(&entry);
	return e;
}

static int recording_publish(struct page_sink *s, size_t buffer, size_t cpu, uint64_t used, struct sonde_error *err)
{
	struct recording *r = of(s);
	struct buffer *b = &r->buffers[buffer];
	struct lanes *l = &b->lanes[cpu];
	struct lane *lane = &l->of.at[l->of.n - 1];
	int e = 0;

	if (used == lane->used)
		return 0;
	e = lane->entry_at ? write_u64(r, used, lane->entry_at + 12, err) : add_entry(r, b, cpu, lane, used, err);
	__atomic_add_fetch(&s->bytes, used - lane->used, __ATOMIC_RELAXED);
	lane->used = used;
	return e;
}

/* Behind those that are there; then they are counted. */
static int recording_names(struct page_sink *s, struct sonde_str lines, struct sonde_error *err)
{
	struct recording *r = of(s);
	int e;

	if (lines.len > r->names_max - r->names_bytes)
		return 0;
	e = write_at(r, lines.p, lines.len, r->names_at + 8 + r->names_bytes, err);
	if (e < 0)
		return e;
	r->names_bytes += lines.len;
	return write_u64(r, r->names_bytes, r->names_at, err);
}

/* ---- the finished file ---- */

static uint64_t used_bytes(const struct lanes *l)
{
	uint64_t n = 0;

	for (size_t i = 0; i < l->of.n; i++)
		n += l->of.at[i].used;
	return n;
}

/* By the kernel where it can (some file systems only share the blocks), else through memory. */
static int copy_range(int in, uint64_t from, int out, uint64_t to, uint64_t n, struct sonde_error *err)
{
	char *block = NULL;
	int e = 0;

	while (n > 0 && e == 0) {
		off_t in_at = (off_t)from, out_at = (off_t)to;
		ssize_t r = block ? -1 : copy_file_range(in, &in_at, out, &out_at, n < 1u << 30 ? n : 1u << 30, 0);

		if (r < 0 && !block && errno == EINTR)
			continue;
		if (r <= 0) {
			size_t want = n < 1u << 20 ? (size_t)n : 1u << 20;

			if (!block && !(block = malloc(1u << 20)))
				return err_nomem(err);
			r = pread(in, block, want, (off_t)from);
			if (r > 0)
				r = pwrite(out, block, (size_t)r, (off_t)to);
			if (r <= 0)
				e = err_sys(err, r < 0 ? errno : EIO, "cannot write the recording");
		}
		if (r > 0) {
			from += (uint64_t)r;
			to += (uint64_t)r;
			n -= (uint64_t)r;
		}
	}
	free(block);
	return e;
}

static int copy_pages(struct recording *r, const struct lanes *l, int out, uint64_t at, struct sonde_error *err)
{
	int e = 0;

	for (size_t i = 0; i < l->of.n && e == 0; i++) {
		e = copy_range(r->fd, l->of.at[i].at, out, at, l->of.at[i].used, err);
		at += l->of.at[i].used;
	}
	return e;
}

/* Version 7: sections, options, and the pages of each buffer behind the head of its section. */
static int write_sections(struct recording *r, const struct page_meta *meta, struct output *o, struct sonde_error *err)
{
	struct places p = { 0 };
	struct buf b = BUF_MEMORY;
	uint64_t at;
	int e = places_init(&p, meta->nr_buffers, err);

	if (e < 0)
		return e;
	put_metadata(&b, meta, false, &p);
	at = b.n;
	e = b.failed ? err_nomem(err) : output_patch(o, b.p, b.n, 0, err);
	for (size_t i = 0; i < r->nr_buffers && e == 0; i++) {
		struct buffer *from = &r->buffers[i];
		uint64_t section = at, end = at + 16;
		uint32_t nr = 0;

		b.n = 0;
		put_u32(&b, 0, false);
		at = ALIGN_UP(end, (uint64_t)from->page_size);
		for (size_t c = 0; c < from->nr_cpus && e == 0; c++) {
			uint64_t used = used_bytes(&from->lanes[c]);

			if (!used)
				continue;
			put_u32(&b, (uint32_t)from->cpus[c], false);
			put_u64(&b, at, false);
			put_u64(&b, used, false);
			nr++;
			e = copy_pages(r, &from->lanes[c], o->buf.fd, at, err);
			end = at += used;
		}
		memcpy(b.p, &nr, sizeof(nr));
		if (e == 0)
			e = b.failed ? err_nomem(err) : output_patch(o, b.p, b.n, p.tables[i], err);
		if (e == 0)
			e = output_patch(o, &section, sizeof(section), p.sections[i], err);
		b.n = 0;
		dat_put_section(&b, SECTION_BUFFER, description_of(SECTION_BUFFER), end - (section + 16));
		if (e == 0)
			e = b.failed ? err_nomem(err) : output_patch(o, b.p, b.n, section, err);
		at = end;
		r->base.bytes = end;
	}
	buf_free(&b);
	places_free(&p);
	return e;
}

static void put_clock(struct buf *b, const char *clock)
{
	put_u64(b, strlen(clock) + 2, false);
	buf_char(b, '[');
	buf_str(b, clock);
	buf_char(b, ']');
}

/* Behind what @b has for the place *at, which is moved to the end: a table with every CPU, and the pages. */
static int write_flat_buffer(struct recording *r, const struct buffer *from, uint32_t nr_cpus, struct buf *b, struct output *o,
			     uint64_t *at, struct sonde_error *err)
{
	uint64_t start = *at, pages;
	size_t table;
	int e = 0;

	buf_put(b, "flyrecord", 10);
	table = b->n;
	buf_pad(b, 0, (size_t)nr_cpus * 16);
	put_clock(b, from->clock);
	if (b->failed)
		return err_nomem(err);
	*at = start + b->n;
	pages = ALIGN_UP(*at, (uint64_t)from->page_size);
	for (size_t c = 0; c < from->nr_cpus && e == 0; c++) {
		uint64_t used = used_bytes(&from->lanes[c]);
		size_t entry = table + (size_t)from->cpus[c] * 16;

		if (!used)
			continue;
		dat_patch_u64(b, entry, pages);
		dat_patch_u64(b, entry + 8, used);
		e = copy_pages(r, &from->lanes[c], o->buf.fd, pages, err);
		*at = pages += used;
	}
	return e < 0 ? e : output_patch(o, b->p, b->n, start, err);
}

/* Version 6: everything one behind the other. */
static int write_flat(struct recording *r, const struct page_meta *meta, struct output *o, struct sonde_error *err)
{
	size_t *places = calloc(meta->nr_buffers, sizeof(*places));
	struct buf b = BUF_MEMORY;
	uint64_t at = 0;
	int e = 0;

	if (!places)
		return err_nomem(err);
	dat_put_head(&b, 6, meta->buffers[0].page_size);
	dat_put_header_info(&b, meta);
	dat_put_ftrace_formats(&b, meta);
	dat_put_event_formats(&b, meta);
	dat_put_text32(&b, meta->kallsyms);
	dat_put_text32(&b, meta->printk);
	dat_put_text64(&b, meta->cmdlines);
	put_u32(&b, meta->nr_cpus, false);
	buf_put(&b, "options  ", 10);
	put_common_options(&b, meta);
	for (size_t i = 1; i < r->nr_buffers; i++) {
		put_u16(&b, OPTION_BUFFER, false);
		put_u32(&b, (uint32_t)(8 + strlen(r->buffers[i].name) + 1), false);
		places[i] = b.n;
		put_u64(&b, 0, false);
		put_strz(&b, r->buffers[i].name);
	}
	put_u16(&b, OPTION_DONE, false);
	for (size_t i = 0; i < r->nr_buffers && e == 0; i++) {
		uint64_t start = at;

		if (i)
			e = output_patch(o, &start, sizeof(start), places[i], err);
		if (e == 0)
			e = write_flat_buffer(r, &r->buffers[i], meta->nr_cpus, &b, o, &at, err);
		b.n = 0;
	}
	r->base.bytes = at;
	buf_free(&b);
	free(places);
	return e;
}

static int recording_finish(struct page_sink *s, const struct page_meta *meta, struct sonde_error *err)
{
	struct recording *r = of(s);
	struct output o;
	int e = output_open(&o, r->path, NULL, err);

	if (e < 0)
		return e;
	e = r->version == 6 ? write_flat(r, meta, &o, err) : write_sections(r, meta, &o, err);
	if (e == 0)
		e = output_finish(&o, err);
	output_close(&o);
	return e;
}

static void recording_free(struct page_sink *s)
{
	struct recording *r = of(s);

	for (size_t i = 0; i < r->nr_buffers; i++) {
		struct buffer *b = &r->buffers[i];

		for (size_t c = 0; b->lanes && c < b->nr_cpus; c++)
			vec_free(&b->lanes[c].of);
		free(b->lanes);
		free(b->cpus);
		free(b->name);
		free(b->clock);
	}
	free(r->buffers);
	free(r->path);
	close(r->fd);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

static const struct page_sink_ops recording_ops = {
	.start = recording_start, .lane = recording_lane, .publish = recording_publish, .names = recording_names,
	.finish = recording_finish, .free = recording_free,
};

int recording_new(const char *path, int version, struct page_sink **out, struct sonde_error *err)
{
	struct recording *r;
	int fd;

	if (!strcmp(path, "-"))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "a trace.dat cannot be written to a pipe: its tables are filled in last");
	fd = output_create(path, O_RDWR, err);
	if (fd < 0)
		return fd;
	r = calloc(1, sizeof(*r));
	if (!r || !(r->path = strdup(path))) {
		free(r);
		close(fd);
		return err_nomem(err);
	}
	r->base.ops = &recording_ops;
	r->version = version;
	r->fd = fd;
	pthread_mutex_init(&r->lock, NULL);
	*out = &r->base;
	return 0;
}
