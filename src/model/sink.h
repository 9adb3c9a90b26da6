/* SPDX-License-Identifier: MIT */
/*
 * sink.h - where a recorder puts what it gathers; a file format implements it
 *
 * Order of calls: start once, records any number of times, finish once; free in any case.
 */
#ifndef MODEL_SINK_H
#define MODEL_SINK_H

#include <sonde/meta.h>

struct sink;
struct sink_ops {
	/* The file is valid from here on: sources, their attrs and ids are known. */
	int (*start)(struct sink *s, const struct sonde_source *sources, size_t nr_sources, struct sonde_error *err);
	/* n bytes of PERF_RECORD_* stream in host order; whole records, but for a ring's wrap in successive calls. */
	int (*records)(struct sink *s, const void *bytes, size_t n, struct sonde_error *err);
	/* Writes what is known at the end: `meta->features` says which of its fields are to be kept. */
	int (*finish)(struct sink *s, const struct sonde_meta *meta, struct sonde_error *err);
	void (*free)(struct sink *s);
};
struct sink {
	const struct sink_ops *ops;
};

#endif
