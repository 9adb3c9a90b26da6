/* SPDX-License-Identifier: MIT */
/* symbol.h - the public handle of symbols */
#ifndef API_TRACE_SYMBOL_H
#define API_TRACE_SYMBOL_H

#include <sonde/symbol.h>

#include "resolve/chain.h"
#include "resolve/places.h"
#include "symbol/source_lines.h"
#include "symbol/symbols.h"
#include "threads/maps.h"

struct known_file;

struct sonde_symbols {
	struct symbols *symbols;
	struct source_lines *lines;
	/* of files by path: their numbers are not those of the binaries of a trace */
	struct symbols *symbols_of_files;
	struct source_lines *lines_of_files;
	VEC(struct known_file *) files;
	const struct source_frame *found;   /* last */
	size_t nr_found;
	struct sonde_source_frame frame;    /* that was handed out last */
	struct sonde_error err;      /* of the options: every call fails with it */
	bool knows_recording;        /* whose kernel, symbols and bundle it is: that of the tasks */
	struct places places;        /* their kernel is that of the trace of the tasks at hand */
	struct sonde_frame resolved; /* that was handed out last */
	struct unwind_images *images;    /* NULL: no stack was unwound yet */
	struct chain_finder chains;
	VEC(struct sonde_frame) chain;   /* that was found last */
};

/* NULL when out of memory; opts may be NULL. */
struct symbols *symbols_from_opts(const struct sonde_symbols_opts *opts);

/*
 * Brings the tasks to the time of an event, up to which its process has made code. 0 or negative: the options of
 * @symbols were refused, or no memory.
 */
int symbols_advance(struct sonde_symbols *symbols, const struct sonde_tasks *tasks, const struct sonde_event *ev);

/*
 * The function at an address, or that of the call before it; the place of it is a view until the next call. NULL when
 * out of memory.
 */
const struct place *symbols_place(struct sonde_symbols *symbols, maps_root root, uint8_t cpumode, uint64_t ip,
				  bool is_caller, struct sonde_frame *out);

#endif
