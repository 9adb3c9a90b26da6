/* SPDX-License-Identifier: MIT */
/*
 * outfile.h - the file that a recording goes to, and the files before it if the output is switched
 *
 * Each file stands alone: it has the attrs, describes the tasks that exist when it begins, and is finished when the
 * next one begins.
 */
#ifndef RECORD_PERF_OUTFILE_H
#define RECORD_PERF_OUTFILE_H

#include "record/perf/recorder.h"

/* Makes the sink and starts the thread that writes to it. Not a file of records yet: see outfile_start(). */
int outfile_open(struct sonde_perf_recorder *r, recorder_sink make_sink);

/* Attrs, ids and features, and the first record. */
int outfile_start(struct sonde_perf_recorder *r);

/* A FINISHED_ROUND record. */
int outfile_mark(struct sonde_perf_recorder *r);

/* Describes the kernel and the tasks that exist. */
int outfile_describe(struct sonde_perf_recorder *r);

/* Finishes the file under a name with the time in it, and goes on with a new one. All rings are empty. */
int outfile_switch(struct sonde_perf_recorder *r);

/* Bytes of the file at hand, written or not. */
uint64_t outfile_bytes(struct sonde_perf_recorder *r);

/* Runs after failures too, so that the written part of the file is of use. */
int outfile_finish(struct sonde_perf_recorder *r);

/* Frees the names of the files. */
void outfile_forget(struct sonde_perf_recorder *r);

#endif
