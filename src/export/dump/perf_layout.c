/* SPDX-License-Identifier: MIT */
#include "export/dump/perf_layout.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/bytes.h"
#include "export/dump/dump.h"
#include "export/dump/perf_words.h"
#include "export/dump/perf_sample.h"
#include "model/event.h"
#include "model/reader.h"

#define BYTES_ON_A_LINE 16
#define FIRST_OF_RECORDER 64         /* PERF_RECORD_USER_TYPE_START */
#define RECORD_HEADER_ATTR 64
#define RECORD_COMPRESSED 81
#define RECORD_COMPRESSED2 83

int perf_layout_init(struct perf_layout *l, const struct reader *reader, const char *path)
{
	*l = (struct perf_layout){ .reader = reader, .path = path };
	return moment_init(&l->now, NULL);
}

void perf_layout_free(struct perf_layout *l)
{
	moment_free(&l->now);
}

/* "0x1f40"; "0" of 0, as "%#x" has it. */
static void put_0x(struct buf *out, uint64_t v)
{
	if (v)
		buf_put(out, "0x", 2);
	buf_hex(out, v);
}

/* ---- the bytes ---- */

static void put_line_of_bytes(struct buf *out, const uint8_t *p, size_t n, size_t at)
{
	buf_put(out, ".  ", 3);
	buf_hex_zero(out, at, 4);
	buf_put(out, ": ", 2);
	for (size_t i = 0; i < BYTES_ON_A_LINE; i++) {
		buf_char(out, ' ');
		if (i < n)
			buf_hex_zero(out, p[i], 2);
		else
			buf_put(out, "  ", 2);
	}
	buf_put(out, "  ", 2);
	for (size_t i = 0; i < BYTES_ON_A_LINE; i++)
		buf_char(out, i >= n ? ' ' : p[i] < ' ' || p[i] > '~' ? '.' : (char)p[i]);
	buf_char(out, '\n');
}

static const char *file_of(const struct perf_layout *l, const struct sonde_event *ev)
{
	if (ev->file && ev->file < l->nr_files)
		return l->files[ev->file];
	return l->path ? l->path : "pipe";
}

/* perf counts the bytes of a stream from its first record. */
static uint64_t place_of(const struct perf_layout *l, const struct sonde_event *ev)
{
	return l->path ? ev->file_offset : ev->file_offset - l->stream_begin;
}

static void put_block(const struct perf_layout *l, struct buf *out, const struct sonde_event *ev)
{
	const char *file = file_of(l, ev);

	buf_char(out, '\n');
	put_0x(out, place_of(l, ev));
	buf_char(out, '@');
	buf_text(out, file, strlen(file));
	buf_put(out, " [", 2);
	put_0x(out, ev->raw_size);
	buf_str(out, "]: event: ");
	buf_u64(out, ev->type);
	buf_str(out, "\n.\n. ... raw event: size ");
	buf_u64(out, ev->raw_size);
	buf_str(out, " bytes\n");
	for (size_t at = 0; at < ev->raw_size; at += BYTES_ON_A_LINE) {
		size_t left = ev->raw_size - at;

		put_line_of_bytes(out, ev->raw + at, left < BYTES_ON_A_LINE ? left : BYTES_ON_A_LINE, at);
	}
	buf_char(out, '\n');
}

/* ---- the line ---- */

/* The fields that all events known at this place sample: those of a stream are told one by one. */
static uint64_t sampled_fields(const struct perf_layout *l, size_t known)
{
	uint64_t fields = 0;

	for (size_t i = 0; i < l->reader->evsels.n && i < known; i++)
		fields |= l->reader->evsels.at[i]->attr->sample_type;
	return fields;
}

static bool has_trailers(const struct perf_layout *l, size_t known)
{
	return known && l->reader->evsels.n && l->reader->evsels.at[0]->attr->flags & SONDE_ATTR_SAMPLE_ID_ALL;
}

/* CPU and time, by which perf sorts; a record of the recorder has 0 for each. */
static void put_moment(const struct perf_layout *l, struct buf *out, const struct sonde_event *ev)
{
	size_t known = ev->type == RECORD_HEADER_ATTR ? l->nr_attrs : SIZE_MAX;
	uint64_t fields = sampled_fields(l, known);
	bool of_kernel = ev->type < FIRST_OF_RECORDER;

	if (ev->type != PERF_RECORD_SAMPLE && !has_trailers(l, known)) {
		buf_str(out, "-1 -1 ");
		return;
	}
	if (fields & PERF_SAMPLE_CPU) {
		bool synthesized = ev->cpu < 0 && ev->time == 0;  /* its trailer is of zeros */

		buf_u64(out, of_kernel && !synthesized ? (uint32_t)ev->cpu : 0);
		buf_char(out, ' ');
	}
	if (fields & PERF_SAMPLE_TIME) {
		buf_u64(out, of_kernel ? ev->time : 0);
		buf_char(out, ' ');
	}
}

/* "MMAP2", "FEATURE": perf leaves out the word before the types of the header's parts. */
static void put_type(struct buf *out, const struct sonde_event *ev)
{
	static const char header[] = "HEADER_";
	const char *name = sonde_event_type_name(ev->type);

	buf_str(out, "PERF_RECORD_");
	if (!name)
		buf_str(out, "UNKNOWN");
	else
		buf_str(out, name + (strncmp(name, header, strlen(header)) == 0 ? strlen(header) : 0));
}

static void put_thread(const struct moment_task *task, struct buf *out, const struct sonde_event *ev)
{
	buf_str(out, " ... thread: ");
	if (task->comm)
		buf_text(out, task->comm, strlen(task->comm));
	else
		buf_printf(out, ev->tid == 0 ? "swapper" : ":%d", ev->tid);
	buf_char(out, ':');
	buf_i64(out, ev->tid);
	buf_char(out, '\n');
}

static void put_binary(const struct moment_task *task, struct buf *out, const struct sonde_event *ev)
{
	const struct mapping *mapping = maps_find(task_roots_get(&task->roots, ev->cpumode, ev->ip), ev->ip);
	const char *name = mapping ? mapping->binary->name : ev->cpumode == CPUMODE_HYPERVISOR ? "[hypervisor]" :
												 "<not found>";

	buf_str(out, " ...... dso: ");
	buf_text(out, name, strlen(name));
	buf_char(out, '\n');
}

static int put_sample(struct perf_layout *l, struct buf *out, const struct sonde_event *ev)
{
	const struct moment_task *task;

	if (moment_advance(&l->now, ev) < 0)
		return -SONDE_NOMEM;
	task = moment_task_of(&l->now, ev);
	perf_sample(out, ev, &l->reader->meta);
	put_thread(task, out, ev);
	put_binary(task, out, ev);
	return 0;
}

int perf_layout_event(struct perf_layout *l, struct buf *out, const struct sonde_event *ev)
{
	/* their content has come as events already */
	if (ev->type == RECORD_COMPRESSED || ev->type == RECORD_COMPRESSED2)
		return 0;
	put_block(l, out, ev);
	put_moment(l, out, ev);
	l->nr_attrs += ev->type == RECORD_HEADER_ATTR;
	put_0x(out, place_of(l, ev));
	buf_put(out, " [", 2);
	put_0x(out, ev->raw_size);
	buf_put(out, "]: ", 3);
	put_type(out, ev);
	if (ev->type == PERF_RECORD_SAMPLE)
		return put_sample(l, out, ev);
	if (!perf_words(out, ev))
		dump_fields(out, ev);
	return moment_apply(&l->now, ev, &l->reader->meta);
}
