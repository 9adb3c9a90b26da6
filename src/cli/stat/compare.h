/* SPDX-License-Identifier: MIT */
/* compare.h - two commands, run in turn, and whether their times and counts differ by more than chance. */
#ifndef CLI_STAT_COMPARE_H
#define CLI_STAT_COMPARE_H

/* @argv: "FIRST... -- SECOND...". Runs them and prints the table. Returns the exit status. */
int stat_compare(int argc, char **argv);

#endif
