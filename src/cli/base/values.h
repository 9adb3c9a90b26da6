/* SPDX-License-Identifier: MIT */
/* values.h - the possible arguments of options that several commands have: `give` of struct values */
#ifndef CLI_BASE_VALUES_H
#define CLI_BASE_VALUES_H

#include "cli/base/command.h"

/* Columns and sort keys of a report. */
void give_columns(const char *trace, take_value take, void *ctx);

/* The events of the trace on the command line. */
void give_trace_events(const char *trace, take_value take, void *ctx);

/* The events of this machine, as `sonde list` has them. */
void give_events(const char *trace, take_value take, void *ctx);
void give_branch_filters(const char *trace, take_value take, void *ctx);

/* Names of this machine's tracefs. */
void give_tracers(const char *trace, take_value take, void *ctx);
void give_trace_clocks(const char *trace, take_value take, void *ctx);
void give_trace_options(const char *trace, take_value take, void *ctx);
void give_instances(const char *trace, take_value take, void *ctx);

/* The processes that run, with their names. */
void give_pids(const char *trace, take_value take, void *ctx);

#endif
