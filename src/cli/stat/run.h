/* SPDX-License-Identifier: MIT */
/* run.h - one run: the command or the target from the first count to the last. */
#ifndef CLI_STAT_RUN_H
#define CLI_STAT_RUN_H

#include "cli/stat/control.h"
#include "cli/stat/print.h"

struct stat_run {
	struct sonde_stat *stat;
	const struct stat_format *format;
	struct stat_control *control;
	char **command;              /* NULL: none */
	uint32_t nr;                 /* of this run, from 0 */
	uint64_t elapsed;            /* ns; set by stat_run_once() */
	int wait_status;             /* of the command; -1: there was none */
	bool cut_short;              /* by the timeout or the control file, not by a signal */
};

/* To be called before the first run. */
int stat_run_catch_signals(void);
/* The signal that ended the runs; 0: none. */
int stat_run_caught(void);

/* Exit status after a message, or 0. */
int stat_run_once(struct stat_run *r);

#endif
