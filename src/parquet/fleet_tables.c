/* SPDX-License-Identifier: MIT */
#include "parquet/fleet_tables.h"

const struct parquet_column fleet_samples_columns[FLEET_SAMPLES_COMPACT_COLUMNS] = {
	[FLEET_SAMPLES_TIME_S] = { "time_s", PARQUET_INT64, .delta = true },
	[FLEET_SAMPLES_SERVICE] = { "service", PARQUET_STRING },
	[FLEET_SAMPLES_COMM] = { "comm", PARQUET_STRING },
	[FLEET_SAMPLES_EVENT] = { "event", PARQUET_STRING },
	[FLEET_SAMPLES_BUILD_ID] = { "build_id", PARQUET_STRING },
	[FLEET_SAMPLES_CPU_MODE] = { "cpu_mode", PARQUET_INT32 },
	[FLEET_SAMPLES_STACK_ID] = { "stack_id", PARQUET_INT64 },
	[FLEET_SAMPLES_SAMPLES] = { "samples", PARQUET_INT64 },
	[FLEET_SAMPLES_WEIGHT] = { "weight", PARQUET_INT64 },
	[FLEET_SAMPLES_RUN_ID] = { "run_id", PARQUET_INT64 },
	[FLEET_SAMPLES_HOST] = { "host", PARQUET_STRING },
};

const struct parquet_column fleet_stacks_columns[FLEET_STACKS_COLUMNS] = {
	[FLEET_STACKS_STACK_ID] = { "stack_id", PARQUET_INT64 },
	[FLEET_STACKS_FRAMES] = { "frames", PARQUET_INT64_LIST },
	[FLEET_STACKS_DEPTH] = { "depth", PARQUET_INT32 },
};

const struct parquet_column fleet_frames_columns[FLEET_FRAMES_COLUMNS] = {
	[FLEET_FRAMES_FRAME_ID] = { "frame_id", PARQUET_INT64 },
	[FLEET_FRAMES_FUNCTION] = { "function", PARQUET_STRING },
	[FLEET_FRAMES_FILE] = { "file", PARQUET_STRING },
	[FLEET_FRAMES_MODULE] = { "module", PARQUET_STRING },
	[FLEET_FRAMES_LINE] = { "line", PARQUET_INT32 },
	[FLEET_FRAMES_ADDRESS] = { "address", PARQUET_INT64 },
	[FLEET_FRAMES_BUILD_ID] = { "build_id", PARQUET_STRING },
	[FLEET_FRAMES_INLINED] = { "inlined", PARQUET_INT32 },
};

const struct parquet_column fleet_modules_columns[FLEET_MODULES_COLUMNS] = {
	[FLEET_MODULES_BUILD_ID] = { "build_id", PARQUET_STRING },
	[FLEET_MODULES_PATH] = { "path", PARQUET_STRING },
	[FLEET_MODULES_KIND] = { "kind", PARQUET_STRING },
	[FLEET_MODULES_SYMBOLISED] = { "symbolised", PARQUET_INT32 },
};

const struct parquet_column fleet_runs_columns[FLEET_RUNS_COMPACT_COLUMNS] = {
	[FLEET_RUNS_RUN_ID] = { "run_id", PARQUET_INT64 },
	[FLEET_RUNS_START_NS] = { "start_ns", PARQUET_INT64 },
	[FLEET_RUNS_END_NS] = { "end_ns", PARQUET_INT64 },
	[FLEET_RUNS_TOOL] = { "tool", PARQUET_STRING },
	[FLEET_RUNS_KERNEL] = { "kernel", PARQUET_STRING },
	[FLEET_RUNS_CPU_MODEL] = { "cpu_model", PARQUET_STRING },
	[FLEET_RUNS_CPUS] = { "cpus", PARQUET_INT32 },
	[FLEET_RUNS_EVENT] = { "event", PARQUET_STRING },
	[FLEET_RUNS_PERIOD] = { "period", PARQUET_INT64 },
	[FLEET_RUNS_LOST] = { "lost", PARQUET_INT64 },
	[FLEET_RUNS_TRUNCATED_STACKS] = { "truncated_stacks", PARQUET_INT64 },
	[FLEET_RUNS_UNRESOLVED] = { "unresolved", PARQUET_INT64 },
	[FLEET_RUNS_CMDLINE] = { "cmdline", PARQUET_STRING },
	[FLEET_RUNS_HOST] = { "host", PARQUET_STRING },
};

const struct fleet_table_row fleet_tables[FLEET_TABLES] = {
	[FLEET_SAMPLES] = { "samples", fleet_samples_columns, FLEET_SAMPLES_COLUMNS },
	[FLEET_STACKS] = { "stacks", fleet_stacks_columns, FLEET_STACKS_COLUMNS },
	[FLEET_FRAMES] = { "frames", fleet_frames_columns, FLEET_FRAMES_COLUMNS },
	[FLEET_MODULES] = { "modules", fleet_modules_columns, FLEET_MODULES_COLUMNS },
	[FLEET_RUNS] = { "runs", fleet_runs_columns, FLEET_RUNS_COLUMNS },
};
