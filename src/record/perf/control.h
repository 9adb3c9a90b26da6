/* SPDX-License-Identifier: MIT */
/*
 * control.h - commands that come while a recording runs, as those of perf record --control
 *
 * One line each: enable [EVENT], disable [EVENT], snapshot, evlist [-v|-g|-F], ping, stop. Each command that is known
 * is answered by "ack\n" and a NUL.
 */
#ifndef RECORD_PERF_CONTROL_H
#define RECORD_PERF_CONTROL_H

#include "base/err.h"

#define CONTROL_LINE_BYTES 256

struct sonde_perf_recorder;

struct control {
	int fd, ack;                 /* -1: none */
	char line[CONTROL_LINE_BYTES];  /* the beginning of a command */
	size_t n;
	bool overlong;               /* the line is skipped */
};

/* Obeys the commands that wait. 1 if the other end is closed, 0, or negative if the kernel refuses a command. */
int control_serve(struct control *c, struct sonde_perf_recorder *r);

#endif
