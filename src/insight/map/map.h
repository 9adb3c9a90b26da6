/* SPDX-License-Identifier: MIT */
/*
 * map.h - `sched map`: which task is on which CPU after each switch
 *
 *	  *A0            a column for each CPU, a line for each switch, '*' before the CPU of the switch;
 *	   A0 *B0        a task has a name of two letters, which a line explains when it is new
 *
 * Rows are the switches alone. The text is made of them: what stands in the other columns is the last row of that CPU.
 */
#ifndef INSIGHT_MAP_MAP_H
#define INSIGHT_MAP_MAP_H

#include "insight/base/analysis.h"

extern const struct analysis_ops map_analysis;

/* The two letters of a number: A0 to Z0, A1 to Z9, then AA to ZZ and aa to zz. Beyond, they come again. */
void map_name(uint64_t number, char out[3]);

#endif
