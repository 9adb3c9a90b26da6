/* SPDX-License-Identifier: MIT */
/* blocks.h - --total-cycles: basic blocks of branch stacks by their cycles */
#ifndef CLI_REPORT_BLOCKS_H
#define CLI_REPORT_BLOCKS_H

#include <sonde/profile.h>

/*
 * @titles: print the lines above the rows. @separator: between columns without padding; cycles are whole numbers then.
 * 0: columns are aligned. Returns the exit status.
 */
int blocks_print(struct sonde_profile *p, bool titles, char separator, double percent_limit);

#endif
