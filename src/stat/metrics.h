/* SPDX-License-Identifier: MIT */
/* metrics.h - metrics that a vendor's files of events define, by expressions over counts */
#ifndef STAT_METRICS_H
#define STAT_METRICS_H

#include "record/event/vendor_events.h"
#include "stat/table.h"

struct stat_metrics {
	struct vendor_events files;
	VEC(const struct vendor_event *) sorted;  /* those with an expression, by topic and name */
	bool of_cpus;                /* CPUs are counted: #target_cpu */
	bool no_thresholds;
};

/* Is a metric beyond the limit that its file tells? */
enum stat_threshold { STAT_NO_THRESHOLD, STAT_GOOD, STAT_BAD };

/* A rate, ratio or metric beside a count. */
struct stat_derived {
	double value;                /* NAN: its other event was not counted */
	const char *unit, *name;     /* "CPUs", "CPUs_utilized"; unit may be "" */
	enum stat_threshold threshold;
};

/* Adds the metrics of a file or folder: as vendor_events_load(). */
int stat_metrics_load(struct stat_metrics *m, const char *path, struct sonde_error *err);

/* The metric's name as its file has it, whatever the case; NULL: there is none. */
const char *stat_metric_name(const struct stat_metrics *m, const char *name);

/* The i-th name of a metric of that group, without regard to case; NULL after the last. */
const char *stat_metric_of_group(const struct stat_metrics *m, const char *group, size_t i);

/* The i-th name of a metric; NULL after the last. */
const char *stat_metric_at(const struct stat_metrics *m, size_t i);

struct stat_names {
	char **at;
	size_t n, cap;
};

/* The events that a metric needs, each once. 0, -SONDE_NOMEM, or -SONDE_CORRUPT: the expression cannot be read. */
int stat_metric_events(const struct stat_metrics *m, const char *name, struct stat_names *out,
		       struct sonde_error *err);
void stat_names_free(struct stat_names *names);

/* Its value beside the row of its first event. false: there is no such metric. */
bool stat_metric_value(const struct stat_metrics *m, const char *name, const struct stat_table *t,
		       const struct stat_row *row, size_t key, struct stat_derived *out);

void stat_metrics_free(struct stat_metrics *m);

#endif
