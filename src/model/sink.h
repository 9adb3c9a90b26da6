/* SPDX-License-Identifier: MIT */
/*
 * sink.h - where a recorder puts what it gathers; a file format implements it
 *
 * Order of calls: start once, records any number of times, finish once, or discard instead; free in any case. What has
 * been written is a valid trace after each of them, so that a recorder which is killed leaves one behind.
 */
#ifndef MODEL_SINK_H
#define MODEL_SINK_H

#include "model/meta.h"

struct sink;
struct sink_ops {
	/* Takes the evlist with attrs and ids, and the features of host and run that `meta->features` has. */
	int (*start)(struct sink *s, const struct sonde_evsel *evsels, size_t nr_evsels,
		     const struct meta *meta, struct sonde_error *err);
	/* n bytes of whole records, as the kernel's rings hold them. */
	int (*records)(struct sink *s, const void *bytes, size_t n, struct sonde_error *err);
	/* `meta->features` names what is known only now, or has changed since start. */
	int (*finish)(struct sink *s, const struct meta *meta, struct sonde_error *err);
	/* Nothing was recorded: what was there before is there again. Only free may follow. */
	void (*discard)(struct sink *s);
	void (*free)(struct sink *s);
};
struct sink {
	const struct sink_ops *ops;
	uint64_t bytes;              /* written so far; kept by the implementation */
};

#endif
