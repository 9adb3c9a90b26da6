/* SPDX-License-Identifier: MIT */
/*
 * analysis.h - commands made of the rows of analyses: `sonde sched timehist` is the analysis "sched timehist"
 *
 * Options, help, completion and manual page of such a command come from its `struct sonde_analysis_kind`, beside the
 * options that all of them have.
 */
#ifndef CLI_BASE_ANALYSIS_H
#define CLI_BASE_ANALYSIS_H

#include "cli/base/command.h"

/* The i-th command of the analyses whose names begin with the word @group; NULL beyond the last. */
const struct command *analysis_command(const char *group, size_t i);

/* Ends a command that was called without the name of an analysis, or with a wrong one; returns its exit status. */
int analysis_missing(const char *group, int argc, char **argv);

#endif
