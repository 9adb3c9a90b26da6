/* SPDX-License-Identifier: MIT */
/*
 * sample.h - the text of one sample
 *
 * It is made of the sample and of what was known at its moment, which is gathered first; nothing else that changes is
 * looked at, so that samples can be formatted at any time and on any thread.
 */
#ifndef EXPORT_SCRIPT_SAMPLE_H
#define EXPORT_SCRIPT_SAMPLE_H

#include "export/script/fields.h"
#include "export/script/address.h"
#include "model/event.h"
#include "tracefmt/tracefmt.h"

struct script;

/* How samples of an evsel look; known before the first is printed. */
struct script_evsel {
	bool ready;
	bool plain;                  /* a line depends on nothing that the lines before change */
	uint64_t fields;
	bool chain;                  /* callchains are printed */
	struct sonde_str event;      /* "    cycles: " */
	const struct tracefmt_event *format;
};

/* A sample and its moment. */
struct script_moment {
	const struct script *script; /* of its trace */
	struct loaded_event event;   /* evsel and period may be those of another member of its group */
	struct script_evsel look;
	const char *comm;            /* NULL: ":TID" is shown */
	const char *cgroup;
	uint64_t time;               /* as it is to be shown */
	maps_root at_ip, user, kernel;
};

/* The means by which a thread writes lines. */
struct printer {
	const struct script *script; /* options and metadata */
	struct address_cache *addresses;
	struct buf *out;             /* in memory */
	const struct script_moment *moment;
};

/* "comm tid [cpu] time: ", as far as @fields ask for it; of a sample or of a side-band record */
void script_head(struct printer *p, const struct sonde_event *ev, const char *comm, uint64_t time, uint64_t fields,
		 bool aligned);

/* The lines of a sample. */
void script_sample(struct printer *p, const struct script_moment *m, const struct sample *sample);

#endif
