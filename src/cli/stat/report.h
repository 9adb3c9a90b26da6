/* SPDX-License-Identifier: MIT */
/* report.h - `sonde stat report`: the counts of a recording, printed as when they were counted. */
#ifndef CLI_STAT_REPORT_H
#define CLI_STAT_REPORT_H

/* @argv: after the word "report". Returns the exit status. */
int stat_report(int argc, char **argv);

#endif
