/* SPDX-License-Identifier: MIT */
/*
 * script.h - events as lines of text in the layout of perf script
 *
 * A line depends on its event and on the tasks at that time. The time of the previous sample is kept here, too.
 */
#ifndef EXPORT_SCRIPT_SCRIPT_H
#define EXPORT_SCRIPT_SCRIPT_H

#include <sonde/text.h>

#include "base/ordered_pool.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "export/script/address.h"
#include "export/script/fields.h"
#include "export/script/sample.h"
#include "export/script/stat.h"
#include "model/reader.h"
#include "resolve/moment.h"
#include "symbol/symbols.h"
#include "tracefmt/tracefmt.h"

/* The output of lines, for one trace or for several in turn. */
struct script_out {
	struct ordered_pool *pool;   /* of struct script_line */
	/* lines that the reading thread has formatted; they become an item before the next one */
	struct buf text;
	uint64_t first_time, last_time;  /* of samples */
};

#define SCRIPT_OUT ((struct script_out){ .text = BUF_MEMORY, .first_time = SONDE_NONE, .last_time = SONDE_NONE })

/* The lines of one trace. */
struct script {
	struct sonde_str name;       /* "  host.data: ", before each line; empty if there is one trace */
	struct script_fields fields;
	uint32_t show, max_stack;
	enum sonde_script_clock clock;
	bool ns, no_callchain, inlined, full_source_path;
	const char *const *comms, *const *dsos, *const *names;  /* the caller's */
	size_t nr_comms, nr_dsos, nr_names;

	const struct meta *meta;
	struct moment now;
	struct address_cache addresses;
	struct source_lines *lines;
	struct unwind_images *images;
	struct chain_finder chains;  /* the reading thread's, as are the heads */
	struct line_heads heads;
	bool stitch_lbr;
	struct call_stacks call_stacks;  /* of stitch_lbr */
	const struct tracefmt *formats;  /* of a trace.dat: see script_set_formats(); else NULL */
	/*
	 * The formats of each TRACING_DATA of a stream. Events that are being printed point into them, so they live
	 * as long as the script.
	 */
	VEC(struct tracefmt *) own_formats;
	size_t nr_features;              /* features of the metadata that were searched for tracing data */

	VEC(const struct sonde_evsel *) list;
	VEC(const struct script_evsel *) evsels;  /* by index; NULL: no sample has come yet */
	size_t width;                /* of the longest name in list; 0: not known yet */
	struct arena arena;          /* script_evsels, event names as printed */
	struct u64map by_id;         /* event id -> index of the evsel */
	VEC(struct script_cgroup { uint64_t id; const char *path; }) cgroups;
	struct u64map cgroup_of;     /* id -> index in cgroups */
	struct script_stat stat;
	struct script_out *out;
	struct sonde_error *err;
};

/* Options are read during the call; their lists and @out live as long as @s. Each trace has symbols of its own. */
int script_init(struct script *s, const struct sonde_script_opts *opts, struct symbols *symbols,
		const struct meta *meta, struct script_out *out, struct sonde_error *err);
void script_free(struct script *s);

/* Sets the evlist of the trace, again when it has grown. The evsels live as long as @s. */
int script_set_evsels(struct script *s, const struct sonde_evsel *const *list, size_t n);

/* Before the first event of a trace.dat: the formats of its events, which name its kernel's functions, too. */
void script_set_formats(struct script *s, const struct tracefmt *formats);

/* Takes in an event, and puts its lines into the pool if it is to be printed. Feed every event in time order. */
int script_event(struct script *s, const struct sonde_event *ev);

/*
 * Whether the heads of samples of an evsel are enough: their lines depend on nothing but the task and the record. Not
 * so before the first sample.
 */
bool script_takes_heads(const struct script *s, const struct sonde_evsel *evsel);

/* As script_event() for the head of a sample. */
int script_head_of_sample(struct script *s, const struct reader *reader, const struct sample_head *head);

/* Whether the event changes data that other threads may be reading: earlier lines have to be written first. */
bool script_must_settle(const struct script *s, const struct sonde_event *ev);

#endif
