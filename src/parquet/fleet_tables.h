/* SPDX-License-Identifier: MIT */
/*
 * fleet_tables.h - the tables of a data set of profiles: their names, columns and partitions
 *
 *	SET/v1/TABLE/date=2026-11-22/host=HOST/FILE.parquet            written by hosts
 *	SET/v1/compact/samples/date=2026-11-22/service=SERVICE/part-0.parquet
 *	SET/v1/compact/TABLE/date=2026-11-22/part-0.parquet            the other tables
 *
 * A part of the path is no column of the files there. So hosts write no column host; a compacted table has one,
 * at its end, and the compacted samples have no column service. Ids are hashes of their content, as signed numbers.
 */
#ifndef PARQUET_FLEET_TABLES_H
#define PARQUET_FLEET_TABLES_H

#include "parquet/parquet_writer.h"

enum fleet_table { FLEET_SAMPLES, FLEET_STACKS, FLEET_FRAMES, FLEET_MODULES, FLEET_RUNS, FLEET_TABLES };

/* One row for each window, service, command, event, build, mode and stack of a run. */
enum fleet_samples_column {
	FLEET_SAMPLES_TIME_S,        /* where the window begins, in seconds since 1970 */
	FLEET_SAMPLES_SERVICE, FLEET_SAMPLES_COMM, FLEET_SAMPLES_EVENT,
	FLEET_SAMPLES_BUILD_ID,      /* of the main binary, in hex */
	FLEET_SAMPLES_CPU_MODE,      /* PERF_RECORD_MISC_*: 1 kernel, 2 user, 3 hypervisor, 4 and 5 of a guest */
	FLEET_SAMPLES_STACK_ID,
	FLEET_SAMPLES_SAMPLES, FLEET_SAMPLES_WEIGHT,
	FLEET_SAMPLES_RUN_ID,
	FLEET_SAMPLES_COLUMNS,
	FLEET_SAMPLES_HOST = FLEET_SAMPLES_COLUMNS,  /* of compacted samples */
	FLEET_SAMPLES_COMPACT_COLUMNS
};

enum fleet_stacks_column { FLEET_STACKS_STACK_ID, FLEET_STACKS_FRAMES, FLEET_STACKS_DEPTH, FLEET_STACKS_COLUMNS };

enum fleet_frames_column {
	FLEET_FRAMES_FRAME_ID, FLEET_FRAMES_FUNCTION, FLEET_FRAMES_FILE, FLEET_FRAMES_MODULE, FLEET_FRAMES_LINE,
	FLEET_FRAMES_ADDRESS,        /* as in the file of the module */
	FLEET_FRAMES_BUILD_ID,
	FLEET_FRAMES_INLINED,        /* 1: the function is inlined into the next frame of the stack */
	FLEET_FRAMES_COLUMNS
};

enum fleet_modules_column {
	FLEET_MODULES_BUILD_ID, FLEET_MODULES_PATH,
	FLEET_MODULES_KIND,          /* user, kernel, kmod, vdso, jit, bpf, other */
	FLEET_MODULES_SYMBOLISED,    /* 1: a function of it has a name */
	FLEET_MODULES_COLUMNS
};

enum fleet_runs_column {
	FLEET_RUNS_RUN_ID, FLEET_RUNS_START_NS, FLEET_RUNS_END_NS, FLEET_RUNS_TOOL, FLEET_RUNS_KERNEL,
	FLEET_RUNS_CPU_MODEL, FLEET_RUNS_CPUS, FLEET_RUNS_EVENT, FLEET_RUNS_PERIOD,
	FLEET_RUNS_LOST,             /* events */
	FLEET_RUNS_TRUNCATED_STACKS, /* samples */
	FLEET_RUNS_UNRESOLVED,       /* samples whose innermost frame has no function */
	FLEET_RUNS_CMDLINE,
	FLEET_RUNS_COLUMNS,
	FLEET_RUNS_HOST = FLEET_RUNS_COLUMNS,        /* of compacted runs */
	FLEET_RUNS_COMPACT_COLUMNS
};

/* The host is the last column of samples and of runs: files of hosts do not have it. */
extern const struct parquet_column fleet_samples_columns[FLEET_SAMPLES_COMPACT_COLUMNS];
extern const struct parquet_column fleet_stacks_columns[FLEET_STACKS_COLUMNS];
extern const struct parquet_column fleet_frames_columns[FLEET_FRAMES_COLUMNS];
extern const struct parquet_column fleet_modules_columns[FLEET_MODULES_COLUMNS];
extern const struct parquet_column fleet_runs_columns[FLEET_RUNS_COMPACT_COLUMNS];

/* The same tables by their numbers. */
struct fleet_table_row {
	const char *name;            /* a folder of the data set: "samples" */
	const struct parquet_column *columns;
	size_t nr_columns;           /* of a file of a host */
};

extern const struct fleet_table_row fleet_tables[FLEET_TABLES];

#endif
