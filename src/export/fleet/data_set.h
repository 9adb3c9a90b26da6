/* SPDX-License-Identifier: MIT */
/*
 * data_set.h - the rows of a recording as new files of a partitioned data set that many machines write
 *
 *	DIR/v1/samples/date=2026-11-22/host=NAME/START-RUN.parquet      and so for stacks, frames, modules and runs
 *
 * A file has its name when it is whole, and the name is that of the recording: a second export of it writes the same
 * files again.
 */
#ifndef EXPORT_FLEET_DATA_SET_H
#define EXPORT_FLEET_DATA_SET_H

#include "export/export.h"

/* To the directory x->dir, which is made where it is missing. 1, 0 if there was no sample, or negative. */
int export_parquet(struct export *x);

#endif
