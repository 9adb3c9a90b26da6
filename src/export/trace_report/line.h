/* SPDX-License-Identifier: MIT */
/* line.h - the text of one line of a report */
#ifndef EXPORT_TRACE_REPORT_LINE_H
#define EXPORT_TRACE_REPORT_LINE_H

#include "base/buf.h"
#include "export/trace_report/event_choice.h"
#include "export/trace_report/task_names.h"
#include "tracefmt/tracefmt.h"

/* The options of all lines. */
struct report_style {
	bool old;                    /* as trace-cmd before 3.3: no column for flags */
	bool latency, raw, ns, ts_diff;
	char flags[32][3];           /* names of the low bits of common_flags */
};

/* Sets the columns that common_flags has. */
void report_style_set_flags(struct report_style *style);

#define REPORT_NOWHERE UINT32_MAX

/* The parts that all lines of an evsel share. */
struct report_look {
	const struct tracefmt_event *format;
	const struct tracefmt_boot *boot;
	uint32_t flags_at, count_at; /* common_flags and common_preempt_count; REPORT_NOWHERE */
	const struct sonde_tracepoint_field *migrate_disable, *lock_depth;
	struct sonde_str prefix;     /* "inst: ", if there are several buffers or traces */
	struct sonde_str name;       /* " sched_switch:         "; REPORT_COPY bytes can be read */
	struct report_naming naming;
	/* func of an entry, of an exit of the function graph tracer */
	const struct sonde_tracepoint_field *entry, *exit;
	const struct sonde_tracepoint_field *ip, *parent_ip;  /* of the function tracer */
	struct report_concern concern;
	bool ready;
	bool integer_time;           /* the clock does not count nanoseconds */
	bool names;                  /* the event has names of tasks */
	bool tied;                   /* its lines depend on other lines, or other lines on them */
};

enum report_kind { REPORT_EVENT, REPORT_UNKNOWN, REPORT_TEXT, REPORT_GAP };

/* 64 bytes, a cache line: there is one for each event, and another thread usually reads it. */
struct report_line {
	uint8_t kind;                /* enum report_kind */
	bool gap;                    /* events were lost before it */
	int32_t cpu;
	uint32_t size, leaf_size;    /* of its record, and of the record of its exit */
	uint32_t depth;              /* of a function */
	uint64_t lost;               /* number of lost events before it, if there is a gap; SONDE_NONE: not known */
	uint64_t time, before;       /* `before`: of the previous line, as shown; 0: there is none */
	const struct report_look *look;  /* without an event: its prefix */
	const struct report_task *task;
};

void report_line_put(const struct report_style *style, const struct report_line *line, const uint8_t *record,
		     struct buf *out);

#endif
