/* SPDX-License-Identifier: MIT */
/*
 * page_sink.h - where a recorder puts the pages of the kernel's ring buffers; a file format implements it
 *
 * Order of calls: start once; then for every CPU of every buffer, from any thread but one at a time: extent, and
 * publish as its pages have been written there; finish once, when all threads are done, or discard instead; free in any
 * case. What has been published is a valid trace after each call, so that a recorder which is killed leaves one behind.
 */
#ifndef MODEL_PAGE_SINK_H
#define MODEL_PAGE_SINK_H

#include <sonde/types.h>

/* The text of an event's format file. */
struct page_format {
	const char *system;
	struct sonde_str text;
};

struct page_buffer {
	const char *name;            /* "" for the first and main one */
	const char *clock;
	uint32_t page_size;          /* of its sub-buffers */
	const int32_t *cpus;
	size_t nr_cpus;
	/* that each CPU had, when not all could be written; NULL: all that were read are there */
	const uint64_t *events;
};

/* A text about the recording: the statistics of a CPU, or last_boot_info of a buffer that outlived a boot. */
enum page_note_id { PAGE_NOTE_CPUSTAT, PAGE_NOTE_LAST_BOOT };
struct page_note {
	enum page_note_id id;
	const char *text;
};

/* All that a reader must know to understand the pages: views that live until finish. */
struct page_meta {
	struct sonde_str header_page, header_event;
	const struct page_format *formats;        size_t nr_formats;  /* by system, those of "ftrace" first */
	struct sonde_str kallsyms, printk, modules;
	struct sonde_str cmdlines;   /* "PID NAME" lines */
	const char *trace_clock;     /* "[local] global ..." */
	const char *uname, *version;
	uint32_t tick_mult, tick_shift;  /* if times are ticks of the processor: ns = ticks * mult >> shift; else 0 */
	uint64_t trace_id;
	uint32_t nr_cpus;
	const struct page_buffer *buffers;        size_t nr_buffers;
	const struct page_note *notes;            size_t nr_notes;
};

/* Where pages go: [at, at + size) of fd. */
struct page_extent {
	int fd;
	uint64_t at, size;
};

struct page_sink;
struct page_sink_ops {
	int (*start)(struct page_sink *s, const struct page_meta *meta, struct sonde_error *err);
	/* A place for pages, the first or, when that is full, one more. @cpu is an index into the
	 * CPUs of the buffer. */
	int (*extent)(struct page_sink *s, size_t buffer, size_t cpu, struct page_extent *out, struct sonde_error *err);
	/* The first @used bytes of the newest extent hold pages; the last of them may be written once more. */
	int (*publish)(struct page_sink *s, size_t buffer, size_t cpu, uint64_t used, struct sonde_error *err);
	/* More lines of cmdlines, for the case that there will be no finish. */
	int (*names)(struct page_sink *s, struct sonde_str lines, struct sonde_error *err);
	/* All of it again, complete now. */
	int (*finish)(struct page_sink *s, const struct page_meta *meta, struct sonde_error *err);
	/* Nothing was recorded: what was there before is there again. Only free may follow. */
	void (*discard)(struct page_sink *s);
	void (*free)(struct page_sink *s);
};
struct page_sink {
	const struct page_sink_ops *ops;
	uint64_t bytes;              /* of the file, once it is finished */
	uint64_t missing;            /* events that are not in it, of those that page_buffer's `events` tells */
};

#endif
