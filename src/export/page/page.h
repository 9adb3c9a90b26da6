/* SPDX-License-Identifier: MIT */
/*
 * page.h - a profile as one page that needs no network: a time axis, a flame graph, a table of functions
 *
 * The page (web/) is fixed text. The profile is in it twice: names as a block of JSON, numbers as packed columns
 * (columns.h) to which "columns" in the JSON are the key, in their order.
 *
 *	{ "title": STRING, "wall_ns": NUMBER, "info": [[NAME, VALUE], ...], "losses": [STRING, ...],
 *	  "strings": [STRING, ...],
 *	  "frames": { "symbol": [...], "dso": [...], "kind": [...] },      by frame; numbers of strings, enum html_kind
 *	  "columns": [[...], ...],                                         of tasks: pid, tid, comm (a string), machine
 *	  "time": { "start_ns": NUMBER, "step_ns": NUMBER, "end": NUMBER },
 *	  "lost": [[FROM, TO, CPU, STRING], ...],                          in steps since the start
 *	  "tracks": { "columns": [[...], ...], "marks": NUMBER, "counts": NUMBER,
 *		      "given_up": BOOLEAN, "some": BOOLEAN },              may be missing
 *	  "code": [...],                                                   see code.h; may be missing
 *	  "baseline": { ... },                                             may be missing
 *	  "events": [{ "name": STRING, "unit": STRING, "notes": [STRING, ...], "merged_ns": NUMBER,
 *	    "fields": [[NAME, DISTINCT, [[VALUE, COUNT], ...]], ...], "counted": NUMBER,    these two and "gaps",
 *	    "gaps": [COUNT, SHORTEST, P50, P90, P99, LONGEST],                            in ns, may be missing
 *	    "columns": [[...], ...] }, ...] }
 *
 * The columns of an event: "up" and "frame" of the nodes of its tree, "up" the distance back to the parent, in nodes,
 * 0 for the outermost frame of a stack; "task", "node", "weight" and "samples" of its cells; "time" (steps since the
 * sample before), "cpu" (one more than its number; 0: not known), "cell", "period" and "count" of its timed samples.
 * A sample is one, or several of one cell and CPU that were merged because there are too many: "merged_ns" then is the
 * length of the spans of time, else 0.
 *
 * The columns of "tracks", which come before those of the events: "tid" and "comm" of threads; "time", "thread", "cpu"
 * and "state" (enum sched_state) of changes of their state; "wake_time", "waker" (0: an idle CPU) and "wakee" of
 * wakeups; "mark_time", "mark_thread", "mark_cpu", "mark_event" and "mark_text" of tracepoints; "count_time",
 * "count_thread", "count_cpu", "count_event" and "count" of counts that samples of other events read, each since the
 * one before; "khz_time", "khz_cpu" and "khz" of frequencies. Times are steps since the one before. CPUs, "waker",
 * "mark_thread" and "count_thread" are one more than the number; 0: not known. "marks" and "counts" are how many
 * tracepoints and counts there were, "given_up": there were too many changes of state,
 * "some": only of some threads the switches were recorded, and nothing is known of others.
 *
 * "baseline" is the recording that the page compares with: an object as this one, with its own strings, whose columns
 * follow those of the page. In such a page "frames" have "build_id": numbers of strings, by frame.
 */
#ifndef EXPORT_PAGE_PAGE_H
#define EXPORT_PAGE_PAGE_H

#include "analyze/tables/field_counts.h"
#include "analyze/tables/tracks.h"
#include "base/buf.h"

enum html_kind {          /* numbers as in KINDS of web/data.js */
	HTML_UNKNOWN,     /* no function or binary was found for the address */
	HTML_USER,
	HTML_KERNEL,
	HTML_JIT,
	HTML_TASK,        /* not a function: the process or thread that the stacks belong to */
	HTML_IDLE,        /* the idle task of a CPU */
};

struct html_frame {
	const char *symbol;
	const char *dso;          /* "" if none */
	enum html_kind kind;
	const char *build_id;     /* of the dso, in hexadecimal; NULL or "" if not known */
	bool inlined;             /* wherever it was */
};

struct html_node {
	uint32_t parent;          /* comes before the node; HTML_NO_PARENT for the outermost of a stack */
	uint32_t frame;
};

/* The samples of a task whose stack ends in a node. */
struct html_cell {
	uint32_t task, node;
	uint64_t weight, samples;
};

struct html_sample {
	uint64_t time, weight;
	uint32_t cell;
	uint32_t cpu;             /* UINT32_MAX if not known */
	uint32_t count;           /* of samples: one, or those that were merged */
};

struct html_task {
	int32_t pid, tid;
	const char *comm;
	uint32_t machine;         /* 0: that of the tracks and of the first trace */
};

/* A span of time in which events were lost. */
struct html_lost {
	uint64_t first, last;
	int32_t cpu;              /* -1: several or unknown */
	const char *text;
};

/* A field of a tracepoint, with its most frequent values. */
struct html_field {
	const char *name;
	const struct field_value *values;
	size_t nr_values;
	uint64_t distinct;        /* values in all */
};

#define HTML_NO_PARENT UINT32_MAX

struct html_event {
	const char *name;
	const char *unit;         /* of weights: "ns" of CPU time; "" if they count the event itself */
	const char *const *notes; size_t nr_notes;  /* sentences about the recording of its stacks */
	const struct html_node *nodes;     size_t nr_nodes;
	const struct html_cell *cells;     size_t nr_cells;
	const struct html_sample *samples; size_t nr_samples;  /* in order of time; none: no time is known */
	uint64_t merged_ns;
	const struct html_field *fields;   size_t nr_fields;   /* of a tracepoint without stacks */
	uint64_t nr_counted;      /* events whose fields were counted, the first ones */
	uint64_t nr_gaps;         /* times between two events one after the other; 0: not known */
	uint64_t gaps_ns[5];      /* the shortest, the percentiles 50, 90 and 99, the longest */
	uint64_t nr_served;       /* samples that stay with the server: see served.h; 0: it has none */
};

struct html_info {
	const char *name, *value;
};

/* Everything is a view. Text may hold any bytes: names in a trace are hostile. */
struct html_profile {
	const char *title;                   /* the recorded command line */
	uint64_t wall_ns;                    /* from the first sample to the last; 0 if not known */
	const struct html_info *info;        size_t nr_info;
	const char *const *losses;           size_t nr_losses;  /* sentences about missing or limited data */
	const struct html_frame *frames;     size_t nr_frames;
	const struct html_event *events;     size_t nr_events;
	const struct html_task *tasks;       size_t nr_tasks;
	const struct html_lost *lost;        size_t nr_lost;
	uint64_t first_ns, last_ns;          /* of all timed samples and tracks */
	const struct tracks *tracks;         /* NULL: there are none */
	struct sonde_str code;               /* JSON, as code.h describes it; empty: none */
	const struct html_profile *baseline; /* the recording to compare with; NULL: none */
};

/*
 * Texts made from web/. The page is cut at the policy of its scripts, at names, at numbers, and at the script that only
 * a served page has. Policies are those of a file and of a served page. annotate_page is for annotated.h, analysis_page
 * for tables.h.
 */
extern const struct sonde_str html_page[5], html_page_policy[2], html_page_served[1], annotate_page[2];
extern const struct sonde_str analysis_page[3], analysis_page_policy[2], analysis_page_served[1];

/* The step of times in a page: a power of ten. */
uint64_t html_time_step(uint64_t first_ns, uint64_t last_ns);

/* Writes the page as a file. 0, -SONDE_NOMEM, or the failure of @b. */
int html_write(struct buf *b, const struct html_profile *profile);

/* Writes the page without a profile, which it asks the server for. */
void html_write_served(struct buf *b);

/* Names as JSON to @json, numbers to @columns (zeroed, with bytes BUF_MEMORY). 0, -SONDE_NOMEM, or a failure. */
struct columns;
int html_write_block(struct buf *json, struct columns *columns, const struct html_profile *profile);

#endif
