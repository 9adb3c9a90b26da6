/* SPDX-License-Identifier: MIT */
/*
 * sample.h - the text of one sample
 *
 * The state at the time of the sample is gathered first. The text depends on the sample and on that state only, so that
 * any thread can format it at any time.
 */
#ifndef EXPORT_SCRIPT_SAMPLE_H
#define EXPORT_SCRIPT_SAMPLE_H

#include "export/script/address.h"
#include "export/script/fields.h"
#include "model/event.h"
#include "resolve/chain.h"
#include "tracefmt/tracefmt.h"

#define LINE_HEADS 32
#define TASK_COLUMNS 64
#define NUMBER_COLUMNS 24

struct script;

/* The form of an evsel's samples; made with the first of them, and never changed. */
struct script_evsel {
	bool plain;                  /* the line does not depend on earlier lines */
	uint64_t fields;
	bool chain;                  /* callchains are printed */
	bool simple;                 /* plain, and its samples have nothing beside a head, a callchain and raw bytes */
	struct sonde_str event;      /* "    cycles: " */
	const struct tracefmt_event *format;
	/* of a trace.dat, whose samples may have stacks: the fields of a sample that has one; else 0 */
	uint64_t stack_fields;
	const struct tracefmt_boot *boot;    /* of its buffer, where it has outlived one; or NULL */
};

/* A sample and its moment. */
struct script_moment {
	const struct script *script; /* of its trace */
	struct loaded_event event;   /* its evsel and period may be those of another member of its group */
	const struct script_evsel *look;
	const char *comm;            /* NULL: ":TID" is shown */
	const char *cgroup;
	uint64_t time;               /* as shown */
	maps_root at_ip, user, kernel;
};

/*
 * The beginnings of the lines that a thread has written last: the columns of a task on a CPU, up to the time, the
 * second, and the period. Zeros at first.
 */
struct line_heads {
	struct task_columns {
		const struct script *script;   /* NULL: not known yet */
		const char *comm;
		uint64_t fields;
		int32_t pid, tid, cpu;
		bool aligned;
		uint8_t len;
		char text[TASK_COLUMNS];
	} tasks[LINE_HEADS];
	struct known_number {
		uint64_t v;
		uint8_t len;         /* 0: not known yet */
		char text[NUMBER_COLUMNS];
	} second, period;
};

/* The means of a thread to write lines. */
struct sample_printer {
	const struct script *script; /* options and metadata */
	struct line_heads *heads;
	struct address_cache *addresses;
	struct chain_finder *chains;
	struct buf *out;             /* in memory */
	const struct script_moment *moment;
};

/* "comm tid [cpu] time: ", with the parts that @fields has; for samples and side-band records. @comm NULL: ":TID" */
void script_head(struct sample_printer *p, const struct sonde_event *ev, const char *comm, uint64_t time,
		 uint64_t fields, bool aligned);

/* Prints the lines of a sample. */
void script_sample(struct sample_printer *p, const struct script_moment *m, const struct sample *sample);

#endif
