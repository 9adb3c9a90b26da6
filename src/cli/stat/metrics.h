/* SPDX-License-Identifier: MIT */
/* metrics.h - metrics of -M that files of events define, by expressions over counts. */
#ifndef CLI_STAT_METRICS_H
#define CLI_STAT_METRICS_H

#include "cli/base/command.h"
#include "cli/stat/derived.h"

/* Reads the metrics of these files; 0, or an exit status after a message. */
int stat_metrics_load(const struct strings *files);

/* Whether a file defines a metric of that name. */
bool stat_metric_is_known(const char *name);

/* The i-th name of a metric of that group, without regard to case; NULL after the last. */
const char *stat_metric_of_group(const char *group, size_t i);

/* The i-th name of a metric; NULL after the last. */
const char *stat_metric_at(size_t i);

/* The events that a metric needs, each once: 0, or an exit status after a message. */
int stat_metric_events(const char *name, struct strings *out);

/* Its value beside the row of its first event: unit is "%  name". false: there is no such metric. */
bool stat_metric_value(const char *name, const struct stat_table *t, const struct stat_row *row, size_t key,
		       struct stat_derived *out);

void stat_metrics_free(void);

#endif
