/* SPDX-License-Identifier: MIT */
/*
 * served.h - the data of a served page: a profile whose timed samples stay here, and answers about them
 *
 * The answer to each question of question.h; all numbers have their lowest byte first:
 *
 *	profile    u32 length of the JSON; the JSON and the columns of page.h, not packed
 *	sums       u32 n; u32 0; f64 weight[n]; f64 samples[n]; u32 cell[n]: n cells with samples
 *	tracks     f32 weight[rows][columns]; f32 weight[columns] of the chosen samples
 *	samples    u32 n; u32 1 if there are more, else 0; f64 weight[n]; f64 samples[n]; u32 cell[n]: n runs of
 *	           neighbours of the same cell
 *
 * The profile has one sample for each event and CPU: the sum of its samples, with "time" and "cell" 0. "served" of an
 * event is the number of its samples.
 */
#ifndef EXPORT_PAGE_SERVED_H
#define EXPORT_PAGE_SERVED_H

#include "export/page/content.h"
#include "export/page/question.h"

/* The sums that were asked for last: the next range is often near. */
struct served_sums {
	bool known;
	uint32_t event;
	int32_t cpu;
	size_t first, end;               /* of the samples of the profile */
	uint64_t *weights, *counts;      /* by cell of the event */
};

struct served {
	const struct sonde_profile *profile;
	struct shown_content content;
	VEC(struct html_sample) cpus;    /* sums by CPU, those of each event together */
	size_t nr_timed;                 /* samples that have a time come first */
	uint64_t start_ns, step_ns;
	struct served_sums sums;
};

/* Gathers the data. The profile must not change. 0 or -SONDE_NOMEM; served_free() in either case. */
int served_gather(struct served *s, const struct export *x);

/* Writes the answer. 0, -SONDE_USAGE: there is no such question or event; -SONDE_NOMEM; the failure of @out. */
int served_answer(struct served *s, const char *question, struct buf *out);

void served_free(struct served *s);

#endif
