/* SPDX-License-Identifier: MIT */
#include "fleet/compact_table.h"

#include "base/bytes.h"

#define ORDER(columns_, nr_unique_) { columns_, ARRAY_SIZE(columns_), nr_unique_ }

/* By what queries choose. All rows are kept: a stack can occur in several rows. */
static const struct sort_column samples_order[] = {
	{ FLEET_SAMPLES_SERVICE }, { FLEET_SAMPLES_TIME_S }, { FLEET_SAMPLES_STACK_ID }, { FLEET_SAMPLES_HOST },
	{ FLEET_SAMPLES_COMM }, { FLEET_SAMPLES_EVENT }, { FLEET_SAMPLES_BUILD_ID }, { FLEET_SAMPLES_CPU_MODE },
	{ FLEET_SAMPLES_RUN_ID }, { FLEET_SAMPLES_SAMPLES }, { FLEET_SAMPLES_WEIGHT },
};

static const struct sort_column stacks_order[] = { { FLEET_STACKS_STACK_ID }, { FLEET_STACKS_DEPTH } };

/* A row with a function comes before one without: symbols may have been found later. */
static const struct sort_column frames_order[] = {
	{ FLEET_FRAMES_FRAME_ID }, { FLEET_FRAMES_FUNCTION, .descending = true },
	{ FLEET_FRAMES_FILE, .descending = true }, { FLEET_FRAMES_LINE }, { FLEET_FRAMES_MODULE },
};

static const struct sort_column modules_order[] = {
	{ FLEET_MODULES_BUILD_ID }, { FLEET_MODULES_PATH }, { FLEET_MODULES_KIND },
	{ FLEET_MODULES_SYMBOLISED, .descending = true },
};

static const struct sort_column runs_order[] = {
	{ FLEET_RUNS_HOST }, { FLEET_RUNS_START_NS }, { FLEET_RUNS_RUN_ID }, { FLEET_RUNS_EVENT },
	{ FLEET_RUNS_END_NS },
};

const struct compact_table compact_tables[FLEET_TABLES] = {
	{ FLEET_MODULES, COMPACT_NONE, COMPACT_NONE, ORDER(modules_order, 3) },
	{ FLEET_FRAMES, COMPACT_NONE, COMPACT_NONE, ORDER(frames_order, 1) },
	{ FLEET_STACKS, COMPACT_NONE, COMPACT_NONE, ORDER(stacks_order, 1) },
	{ FLEET_RUNS, FLEET_RUNS_HOST, COMPACT_NONE, ORDER(runs_order, 4) },
	{ FLEET_SAMPLES, FLEET_SAMPLES_HOST, FLEET_SAMPLES_SERVICE, ORDER(samples_order, 0) },
};

struct compact_file compact_file_of(const struct compact_table *t, size_t in_path)
{
	struct compact_file file = { .nr_columns = 0 };

	for (size_t i = 0; i < compact_columns(t); i++)
		if (i != in_path) {
			file.columns[file.nr_columns] = fleet_tables[t->table].columns[i];
			file.numbers[file.nr_columns++] = i;
		}
	return file;
}
