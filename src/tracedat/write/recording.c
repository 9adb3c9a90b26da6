/* SPDX-License-Identifier: MIT */
/*
 * A trace.dat of version 7 that grows and can be read at every moment:
 *
 *	head, metadata, command lines with room for more, strings, options, then the extents of each buffer's CPUs
 *
 * The pages of one CPU are contiguous in a finished trace.dat, and their number is known only at the end. So each CPU
 * has a small extent at first, and when that is full another one at the end of the file, a quarter of all it had.
 * Option BUFFER, before the pages, has an entry for each extent, with the number of its used bytes: sonde reads all of
 * them, trace-cmd the first of a CPU. The file is at most a quarter larger than what it holds, plus 5 MB for each CPU.
 * In the end the pages, which a thread has compressed meanwhile, are copied CPU by CPU into a file that takes the name.
 */
#include "tracedat/write/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_io.h"
#include "tracedat/format/ids.h"
#include "tracedat/write/recording_file.h"
#include "tracedat/write/recording_finish.h"
#include "tracedat/write/recording_pack.h"

#define EXTENTS_BYTES (UINT64_C(256) << 20)    /* of all first extents together, unless there are very many */
#define EXTENT_MIN_BYTES (UINT64_C(1) << 20)
#define EXTENT_MAX_BYTES (UINT64_C(4) << 20)   /* of a first extent */
#define GROWTH 4                               /* another extent has this part of the bytes before it */
#define EXTENTS_PER_CPU 64                     /* and GROWTH: terabytes */
#define EXTENT_ALIGN (UINT64_C(1) << 20)       /* no sub-buffer is larger */
#define NAMES_ROOM (UINT64_C(1) << 20)

/* ---- growing ---- */

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
		to->max_entries = (uint32_t)from->nr_cpus * EXTENTS_PER_CPU;
		to->name = strdup(from->name);
		to->clock = strdup(from->clock);
		to->cpus = calloc(from->nr_cpus ? from->nr_cpus : 1, sizeof(*to->cpus));
		to->extents = calloc(from->nr_cpus ? from->nr_cpus : 1, sizeof(*to->extents));
		if (!to->name || !to->clock || !to->cpus || !to->extents)
			return err_nomem(err);
		memcpy(to->cpus, from->cpus, from->nr_cpus * sizeof(*to->cpus));
	}
	return 0;
}

/* A full extent ends with a full chunk, so that the finished file does not tell where the extents were. */
static uint64_t whole_chunks(const struct buffer *b, uint64_t bytes)
{
	uint64_t chunk = (uint64_t)b->page_size * DAT_CHUNK_PAGES;

	return (bytes + chunk - 1) / chunk * chunk;
}

/* Makes the file larger, unless that is forbidden: then the signal would end the recorder. */
static int extend(struct recording *r, uint64_t end)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_FSIZE, &rl) == 0 && rl.rlim_cur != RLIM_INFINITY && end > rl.rlim_cur)
		return EFBIG;
	return ftruncate(r->file.fd, (off_t)end) < 0 ? errno : 0;
}

static void choose_extent_bytes(struct recording *r)
{
	uint64_t nr = 1;

	for (size_t i = 0; i < r->nr_buffers; i++)
		nr += r->buffers[i].nr_cpus;
	r->extent_bytes = EXTENTS_BYTES / nr;
	if (r->extent_bytes < EXTENT_MIN_BYTES)
		r->extent_bytes = EXTENT_MIN_BYTES;
	if (r->extent_bytes > EXTENT_MAX_BYTES)
		r->extent_bytes = EXTENT_MAX_BYTES;
}

static int add_extent(struct recorded_extents *l, uint64_t at, uint64_t size, struct sonde_error *err)
{
	return vec_push(&l->of, ((struct recorded_extent){ .at = at, .size = size })) < 0 ? err_nomem(err) : 0;
}

/* The sections of the buffers, each with an extent for every CPU. */
static int lay_out(struct recording *r, uint64_t at, const struct dat_places *p, struct sonde_error *err)
{
	int e = 0, bad;

	choose_extent_bytes(r);
	for (size_t i = 0; i < r->nr_buffers && e == 0; i++) {
		struct buffer *b = &r->buffers[i];
		struct buf head = BUF_MEMORY;
		uint64_t section = at, size = whole_chunks(b, r->extent_bytes);

		b->section_at = section;
		b->table_at = p->tables[i];
		at = ALIGN_UP(at + 16, EXTENT_ALIGN);
		for (size_t c = 0; c < b->nr_cpus && e == 0; c++, at += size)
			e = add_extent(&b->extents[c], at, size, err);
		dat_put_section(&head, SECTION_BUFFER, false, at - (section + 16));
		if (e == 0)
			e = head.failed ? err_nomem(err) : dat_recording_write(r, head.p, head.n, section, err);
		if (e == 0)
			e = dat_recording_write_u64(r, section, p->sections[i], err);
		buf_free(&head);
	}
	r->end = at;
	bad = e == 0 ? extend(r, at) : 0;
	return bad ? err_sys(err, bad, "cannot make room for the recording") : e;
}

static int recording_start(struct page_sink *s, const struct page_meta *meta, struct sonde_error *err)
{
	struct recording *r = recording_of(s);
	struct dat_places p = { 0 };
	struct packer packer = { 0 };
	struct buf b = BUF_MEMORY;
	int e = copy_buffers(r, meta, err);

	if (e == 0)
		e = dat_places_init(&p, meta->nr_buffers, err);
	if (e == 0 && r->codec)
		e = packer_init(&packer, r->codec, 0, err);
	if (e == 0) {
		dat_put_metadata(&b, meta, r->codec ? &packer : NULL, &p);
		dat_put_tail(&b, 0, meta, EXTENTS_PER_CPU, NAMES_ROOM, NULL, &p);
		dat_patch_u64(&b, p.head_at, p.options_at);
		e = b.failed ? err_nomem(err) : dat_recording_write(r, b.p, b.n, 0, err);
	}
	if (e == 0) {
		r->head_at = p.head_at;
		r->options_at = p.options_at;
		memcpy(r->metadata_at, p.metadata_at, sizeof(r->metadata_at));
		r->names_at = p.names;
		r->names_bytes = meta->cmdlines.len;
		r->names_max = r->names_bytes + NAMES_ROOM;
		r->base.bytes = b.n - NAMES_ROOM;
		e = lay_out(r, b.n, &p, err);
	}
	if (e == 0 && r->codec)
		dat_recording_pack_start(r);
	packer_free(&packer);
	buf_free(&b);
	dat_places_free(&p);
	return e;
}

/* Adds an extent for a CPU. */
static int grow(struct recording *r, struct buffer *b, struct recorded_extents *l, struct sonde_error *err)
{
	uint64_t size = 0, at = ALIGN_UP(r->end, (uint64_t)b->page_size);
	int e, bad;

	if (b->nr_entries >= b->max_entries)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "the recording has become too large for its file");
	for (size_t i = 0; i < l->of.n; i++)
		size += l->of.at[i].used;
	size = whole_chunks(b, size / GROWTH > r->extent_bytes ? size / GROWTH : r->extent_bytes);
	while ((bad = extend(r, at + size)) != 0) {
		if (size <= whole_chunks(b, EXTENT_MIN_BYTES))
			return err_sys(err, bad, "cannot make room for the recording");
		size = whole_chunks(b, size / 2);
	}
	e = dat_recording_set_end(r, at + size, err);
	return e < 0 ? e : add_extent(l, at, size, err);
}

static int recording_extent(struct page_sink *s, size_t buffer, size_t cpu, struct page_extent *out,
			    struct sonde_error *err)
{
	struct recording *r = recording_of(s);
	struct buffer *b = &r->buffers[buffer];
	struct recorded_extents *l = &b->extents[cpu];
	const struct recorded_extent *newest;
	int e = 0;

	pthread_mutex_lock(&r->lock);
	if (l->of.at[l->of.n - 1].used)
		e = grow(r, b, l, err);
	newest = &l->of.at[l->of.n - 1];
	*out = (struct page_extent){ r->file.fd, newest->at, newest->size };
	pthread_mutex_unlock(&r->lock);
	return e;
}

static int recording_publish(struct page_sink *s, size_t buffer, size_t cpu, uint64_t used, struct sonde_error *err)
{
	struct recording *r = recording_of(s);
	struct buffer *b = &r->buffers[buffer];
	struct recorded_extents *l = &b->extents[cpu];
	struct recorded_extent *extent = &l->of.at[l->of.n - 1];
	int e = 0;

	if (used == extent->used)
		return 0;
	e = extent->entry_at ? dat_recording_write_u64(r, used, extent->entry_at + 12, err) :
			       dat_recording_add_entry(r, b, cpu, extent, used, err);
	__atomic_add_fetch(&s->bytes, used - extent->used, __ATOMIC_RELAXED);
	pthread_mutex_lock(&r->lock);
	dat_recording_pack_tell(r, used - extent->used);
	extent->used = used;
	pthread_mutex_unlock(&r->lock);
	return e;
}

/* Appends command lines, as far as there is room, then counts them. */
static int recording_names(struct page_sink *s, struct sonde_str lines, struct sonde_error *err)
{
	struct recording *r = recording_of(s);
	int e;

	if (lines.len > r->names_max - r->names_bytes)
		return 0;
	e = dat_recording_write(r, lines.p, lines.len, r->names_at + 8 + r->names_bytes, err);
	if (e < 0)
		return e;
	r->names_bytes += lines.len;
	return dat_recording_write_u64(r, r->names_bytes, r->names_at, err);
}

static void recording_discard(struct page_sink *s)
{
	dat_recording_pack_end(recording_of(s));
	recfile_discard(&recording_of(s)->file);
}

static void recording_free(struct page_sink *s)
{
	struct recording *r = recording_of(s);

	dat_recording_pack_end(r);
	for (size_t i = 0; i < r->nr_buffers; i++) {
		struct buffer *b = &r->buffers[i];

		for (size_t c = 0; b->extents && c < b->nr_cpus; c++) {
			vec_free(&b->extents[c].of);
			vec_free(&b->extents[c].packed.runs);
		}
		free(b->extents);
		free(b->cpus);
		free(b->name);
		free(b->clock);
	}
	free(r->buffers);
	recfile_close(&r->file);
	pthread_cond_destroy(&r->packing.wake);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

static const struct page_sink_ops recording_ops = {
	.start = recording_start, .extent = recording_extent, .publish = recording_publish, .names = recording_names,
	.finish = dat_recording_finish, .discard = recording_discard, .free = recording_free,
};

/* The names of enum sonde_compression. */
static const struct codec *find_codec(int version, enum sonde_compression compression)
{
	if (version == 6 || compression == SONDE_COMPRESSION_NONE)
		return NULL;
	return codec_find(compression == SONDE_COMPRESSION_ZLIB ? "zlib" : "zstd");
}

int dat_recording_new(const char *path, int version, enum sonde_compression compression, struct page_sink **out,
		      struct sonde_error *err)
{
	struct recording *r;
	int e;

	if (!strcmp(path, "-"))
		return err_set(err, SONDE_USAGE, SONDE_NONE,
			       "a trace.dat cannot be written to a pipe: its tables are filled in last");
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_nomem(err);
	e = recfile_create(&r->file, path, O_RDWR, err);
	if (e < 0) {
		free(r);
		return e;
	}
	r->base.ops = &recording_ops;
	r->version = version;
	r->codec = find_codec(version, compression);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->packing.wake, NULL);
	*out = &r->base;
	return 0;
}
