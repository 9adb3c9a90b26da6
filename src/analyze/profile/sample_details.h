/* SPDX-License-Identifier: MIT */
/* sample_details.h - the values of a sample that tell cells apart, as the number of a detail; see details.h */
#ifndef ANALYZE_PROFILE_SAMPLE_DETAILS_H
#define ANALYZE_PROFILE_SAMPLE_DETAILS_H

#include "analyze/profile/gathering.h"

/* Whether the fields of a sample are needed that its event does not have: weight, data_src, branches, ... */
bool sample_details_decode(const struct gathering *p);

/* The period that a sample counts with. @fields: decoded if sample_details_decode() says so */
uint64_t sample_details_period(const struct gathering *p, const struct sonde_event *ev,
			       const struct sample *fields);

/* The processor package of a CPU, and 1; 0 if the recording does not tell. */
uint64_t sample_details_socket(const struct meta *meta, int32_t cpu);

/* Gives the sample the number of its detail. 0 or -SONDE_NOMEM. */
int sample_details_find(struct gathering *p, const struct sonde_event *ev, const struct sample *fields,
			const struct meta *meta, struct profile_sample *s);

/* Counts each branch of a sample as a sample of its own. 0 or -SONDE_NOMEM. */
int sample_details_count_branches(struct gathering *p, const struct sonde_event *ev, const struct sample *fields,
				  const struct meta *meta, const struct profile_sample *s);

#endif
