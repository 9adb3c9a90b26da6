/* SPDX-License-Identifier: MIT */
/* meta.h - what tracefs says about events, and the rest that a recording of pages needs to be understood. */
#ifndef RECORD_FTRACE_META_H
#define RECORD_FTRACE_META_H

#include "model/page_sink.h"
#include "record/ftrace/instance.h"

struct ftrace_meta {
	struct page_meta page;       /* views of the rest */
	struct arena arena;
	VEC(struct page_format) formats;
	VEC(struct page_note) notes;
	struct page_buffer *buffers;
	struct buf names;
};

/**
 * ftrace_meta_make - gather it
 * @all_events: the formats of all events, else of those that the instances have selected. Files that are missing are
 * empty.
 */
int ftrace_meta_make(struct ftrace_meta *meta, const struct ftrace_instance *instances, size_t nr, const char *tracefs,
		     bool all_events, const struct messenger *m, struct sonde_error *err);

/* Events that others have read from these buffers. */
uint64_t ftrace_read_before(const struct ftrace_instance *instances, size_t nr);

/*
 * The statistics of the CPUs, known at the end. Adds up what was read and lost in @stats. @failed: not all that was
 * read could be written; how many events there were is noted, but for instances that others may have read from too.
 */
int ftrace_meta_finish(struct ftrace_meta *meta, const struct ftrace_instance *instances, size_t nr, bool failed,
		       struct sonde_ftrace_recorder_stats *stats, struct sonde_error *err);

/* last_boot_info of the instances that have one, and the kernel's modules with it. @nr_old: buffers from before the
 * last boot */
int ftrace_meta_last_boot(struct ftrace_meta *meta, const struct ftrace_instance *instances, size_t nr, size_t *nr_old,
			  struct sonde_error *err);
void ftrace_meta_free(struct ftrace_meta *meta);

#endif
