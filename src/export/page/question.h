/* SPDX-License-Identifier: MIT */
/*
 * question.h - the questions that a served page asks: "sums?event=0&from=17&to=4711"
 *
 *	profile    names, trees and sums
 *	sums       the sums of cells: event, from, to, cpu
 *	tracks     weights by row and column: event, from, to, columns, rows, task, cpu, idle, count
 *	samples    samples in order of time: event, from, to, task, cpu, idle
 *
 * "from" and "to" are steps since the start of the recording, up to three decimals; "to" is the first step that is not
 * in the range. "task" is a process "12" or a thread "12/13"; on another machine than the first, "12@1" or "12/13@1".
 * "idle=hide" leaves out tasks of pid 0. "count=samples" weighs by samples. "rows" are "threads:12/13,12/14," or
 * "cpus:0,1,-1": all others are in the last row.
 */
#ifndef EXPORT_PAGE_QUESTION_H
#define EXPORT_PAGE_QUESTION_H

#include <sonde/types.h>

enum {
	QUESTION_MOST_ROWS = 64,
	QUESTION_MOST_COLUMNS = 1 << 17,
	QUESTION_MOST_VALUES = 1 << 20,     /* rows times columns */
};

enum question_kind { QUESTION_PROFILE, QUESTION_SUMS, QUESTION_TRACKS, QUESTION_SAMPLES };
enum question_rows { QUESTION_NO_ROWS, QUESTION_THREADS, QUESTION_CPUS };

struct question_task {
	int32_t pid, tid;
	uint32_t machine;
	bool has_pid, has_tid;              /* neither: the row of all others */
};

struct question {
	enum question_kind kind;
	uint32_t event;
	bool has_range;
	double from, to;
	int32_t cpu;                        /* -1: all */
	struct question_task task;          /* !has_pid: all */
	bool hides_idle, counts_samples;
	uint32_t columns;
	enum question_rows rows_of;
	uint32_t nr_rows;
	struct question_task threads[QUESTION_MOST_ROWS];
	int32_t cpus[QUESTION_MOST_ROWS];   /* -1: not known; -2: the row of all others */
};

/* 0, or -SONDE_USAGE. Only the form is checked: the event may not exist. */
int question_parse(struct question *q, const char *text);

#endif
