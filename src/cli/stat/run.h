/* SPDX-License-Identifier: MIT */
/* run.h - one run: the command or the target from the first count to the last. */
#ifndef CLI_STAT_RUN_H
#define CLI_STAT_RUN_H

#include "cli/stat/control.h"
#include "cli/stat/counts.h"
#include "cli/stat/file.h"
#include "cli/stat/print.h"

struct stat_run {
	struct stat_table *table;
	const struct stat_format *format;
	struct stat_control *control;
	struct stat_file *file;      /* of --record; made by the run */
	char **command;              /* NULL: none */
	uint32_t nr;                 /* of this run, from 0 */
	struct stat_times times;     /* set by stat_run_once() */
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
