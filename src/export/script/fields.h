/* SPDX-License-Identifier: MIT */
/* fields.h - the fields that `script` prints for each type of event: the defaults, changed by -F */
#ifndef EXPORT_SCRIPT_FIELDS_H
#define EXPORT_SCRIPT_FIELDS_H

#include <sonde/event.h>

#include "base/err.h"

/* Each field is a row of the table in fields.c. */
enum script_field {
	FIELD_MACHINE_PID,
	FIELD_VCPU,
	FIELD_COMM,
	FIELD_PID,
	FIELD_TID,
	FIELD_CPU,
	FIELD_MISC,
	FIELD_TOD,
	FIELD_TIME,
	FIELD_PERIOD,
	FIELD_EVENT,
	FIELD_FLAGS,
	FIELD_TRACE,
	FIELD_ADDR,
	FIELD_DATA_SRC,
	FIELD_WEIGHT,
	FIELD_INS_LAT,
	FIELD_RETIRE_LAT,
	FIELD_CGROUP,
	FIELD_IP,
	FIELD_SYM,
	FIELD_SYMOFF,
	FIELD_DSO,
	FIELD_DSOFF,
	FIELD_IREGS,
	FIELD_UREGS,
	FIELD_BRSTACK,
	FIELD_BRSTACKSYM,
	FIELD_BRSTACKOFF,
	FIELD_BPF_OUTPUT,
	FIELD_PHYS_ADDR,
	FIELD_DATA_PAGE_SIZE,
	FIELD_CODE_PAGE_SIZE,
	FIELD_TRANSACTION,
	FIELD_READ,
	FIELD_SRCLINE,
	NR_SCRIPT_FIELDS,
};
#define SCRIPT_BIT(field) (UINT64_C(1) << FIELD_##field)

/* Of the place of a sample, and of the frames of its stack. */
#define SCRIPT_OF_PLACE \
	(SCRIPT_BIT(IP) | SCRIPT_BIT(SYM) | SCRIPT_BIT(SYMOFF) | SCRIPT_BIT(DSO) | SCRIPT_BIT(DSOFF) | \
	 SCRIPT_BIT(SRCLINE))

/* Types of events with defaults of their own. */
enum script_type {
	SCRIPT_HARDWARE, SCRIPT_SOFTWARE, SCRIPT_TRACEPOINT, SCRIPT_RAW, SCRIPT_BREAKPOINT, SCRIPT_OTHER,
	NR_SCRIPT_TYPES,
};

struct script_fields {
	struct script_fields_of_type {
		uint64_t fields;
		/* named by -F for this type or for all types: events without them are refused */
		uint64_t asked;
	} of[NR_SCRIPT_TYPES];
	bool changed[NR_SCRIPT_TYPES];
};

void script_fields_default(struct script_fields *f);

/*
 * Takes one -F: "comm,tid,time", "+misc,-period", "trace:comm,trace", "sw:". Without a type it is for all types, each
 * of which ignores fields that do not suit it. -SONDE_USAGE with a sentence.
 */
int script_fields_parse(struct script_fields *f, const char *text, struct sonde_error *err);

enum script_type script_type_of(const struct sonde_attr *attr);

/* The fields to print of samples of @attr; -SONDE_USAGE if -F names a field that they lack. */
int script_fields_of(const struct script_fields *f, const struct sonde_attr *attr, const char *event, uint64_t *fields,
		     struct sonde_error *err);

#endif
