/* SPDX-License-Identifier: MIT */
/*
 * bundle_needs.h - the symbols, lines and code that the samples of a trace need from each binary, for its bundle
 *
 * Each address of a sample is looked up as the commands do it: the address itself, its callchain (of a copied stack,
 * the one that unwinding gives), branches and the data address.
 */
#ifndef ANALYZE_NEEDS_BUNDLE_NEEDS_H
#define ANALYZE_NEEDS_BUNDLE_NEEDS_H

#include "base/vec.h"
#include "model/reader.h"
#include "resolve/addr_location.h"
#include "resolve/chain.h"
#include "resolve/moment.h"
#include "symbol/source_lines.h"

struct needed_numbers { uint32_t *at; size_t n, cap; };
struct needed_addresses { uint64_t *at; size_t n, cap; };

struct needed_binary {
	struct needed_numbers symbols, functions;    /* in the tables */
	struct needed_numbers hot;   /* symbols that were interrupted, whose code is wanted */
	struct needed_addresses addrs;       /* whose lines are needed */
};

struct bundle_needs {
	struct moment moment;
	struct symbols *symbols;     /* borrowed, as the next ones */
	struct source_lines *lines;
	bool code;                   /* the code of functions that were interrupted is wanted */
	bool source;                 /* the text of source files is wanted */
	const char *const *source_dirs;      size_t nr_source_dirs;  /* borrowed: see symbol/embedded_source.h */
	bool whole_kernel;           /* tracepoints print addresses of the kernel of their own */
	struct unwind_images *images;
	struct chain_finder chains;
	VEC(struct needed_binary) binaries;  /* by index */
	struct needed_slot { maps_root root; uint64_t ip; bool is_caller; } *recent;
};

/* 0 or -SONDE_NOMEM; bundle_needs_free() in any case. */
int bundle_needs_init(struct bundle_needs *n, struct symbols *symbols, struct source_lines *lines);

/* Takes in an event; feed all in time order. 0 or -SONDE_NOMEM. */
int bundle_needs_event(struct bundle_needs *n, const struct sonde_event *ev, const struct meta *meta);

/* After the last event: every binary of the trace has an element, and its lists are sorted. 0 or -SONDE_NOMEM. */
int bundle_needs_finish(struct bundle_needs *n);

void bundle_needs_free(struct bundle_needs *n);

#endif
