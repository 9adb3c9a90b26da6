/* SPDX-License-Identifier: MIT */
/* perf_requests.h - the events, filters and control groups of the command line go to a recorder of perf's events */
#ifndef CLI_RECORD_PERF_REQUESTS_H
#define CLI_RECORD_PERF_REQUESTS_H

#include <sonde/perf_recorder.h>

/* In the order of the command line; other requests are for --ftrace only. 0, or the exit status after a message. */
int perf_requests_take(struct sonde_perf_recorder *recorder);

#endif
