/* SPDX-License-Identifier: MIT */
/*
 * page.h - a profile as one page that needs no network: a flame graph beside the table of functions
 *
 * The page (web/) is fixed text; the profile is a block of JSON in it:
 *
 *	{ "title": STRING, "wall_ns": NUMBER, "info": [[NAME, VALUE], ...], "losses": [STRING, ...],
 *	  "strings": [STRING, ...],
 *	  "frames": { "symbol": [...], "dso": [...], "kind": [...] },      by frame; numbers of strings, enum html_kind
 *	  "events": [{ "name": STRING, "unit": STRING, "notes": [STRING, ...],
 *	    "nodes": { "up": [...], "frame": [...], "weight": [...], "samples": [...] } }, ...] }
 *
 * "up" is the distance back to the parent, in nodes; 0 for the outermost frame of a stack. "weight" and "samples" are
 * those of the stacks that end in the node.
 */
#ifndef EXPORT_PAGE_PAGE_H
#define EXPORT_PAGE_PAGE_H

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
};

struct html_node {
	uint32_t parent;          /* comes before the node; HTML_NO_PARENT for the outermost of a stack */
	uint32_t frame;
	uint64_t weight;
	uint64_t samples;
};

#define HTML_NO_PARENT UINT32_MAX

struct html_event {
	const char *name;
	const char *unit;         /* of weights: "ns" of CPU time; "" if they count the event itself */
	const char *const *notes; size_t nr_notes;  /* sentences about the recording of its stacks */
	const struct html_node *nodes;
	size_t nr_nodes;
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
};

/* The page before and after the profile, and that of annotations (annotated.h); the build makes them from web/. */
extern const struct sonde_str html_page[2], annotate_page[2];

/* Writes the page. 0, -SONDE_NOMEM, or the failure of @b. */
int html_write(struct buf *b, const struct html_profile *profile);

#endif
