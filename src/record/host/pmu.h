/* SPDX-License-Identifier: MIT */
/* pmu.h - kernel drivers that provide events, as /sys/bus/event_source/devices describes them. */
#ifndef RECORD_HOST_PMU_H
#define RECORD_HOST_PMU_H

#include "record/host/sysfile.h"

struct pmu {
	char name[64];
	char dir[512];
	uint32_t type;
	bool core;                   /* counts on CPUs what all of them have: cycles, instructions, caches */
};

/* Which bits of which of the attr's config words a term goes to. */
struct pmu_format {
	uint8_t word;                /* 0 to 4: config to config4 */
	uint64_t mask;
};

/* true if there is a PMU of that very name */
bool pmu_open(struct pmu *p, const char *sysfs, const char *name);

/*
 * Names of the PMUs that `pattern` stands for: the PMU itself; those it matches as a glob; or all pieces of an uncore
 * unit: "imc" and "uncore_imc" mean uncore_imc_0, uncore_imc_1, ... Sorted. 0 or a negative errno.
 */
int pmu_match(struct arena *a, const char *sysfs, const char *pattern, struct names *out);

/* "uncore_imc_3" is a piece of "uncore_imc" and of "imc"; some numbers are hexadecimal. */
bool pmu_is_piece(const char *pmu, const char *unit);

/* Names of all PMUs, sorted; 0 or a negative errno. */
int pmu_all(struct arena *a, const char *sysfs, struct names *out);

/* Names of the core PMUs, sorted: one for each kind of CPU that the machine has. 0 or a negative errno. */
int pmu_cores(struct arena *a, const char *sysfs, struct names *out);

/* false if the PMU has no such term */
bool pmu_format(const struct pmu *p, const char *term, struct pmu_format *out);

/* The bits of attr.config that a term sets; 0: there is no such term. */
uint64_t pmu_config_bits(const struct pmu *p, const char *term);

/* "config:0-7,32-35"; false if the text is none */
bool pmu_format_parse(const char *text, struct pmu_format *out);

/* Puts the bits of v in place, least significant first; false if v does not fit. */
bool pmu_format_apply(const struct pmu_format *f, uint64_t v, uint64_t words[5]);

/* The term list of a named event ("event=0x3c,umask=1"); false if the PMU has no such event. */
bool pmu_event(const struct pmu *p, const char *name, char *out, size_t cap);

/* Names of the events of a PMU, sorted, without NAME.unit and its like. 0 or a negative errno. */
int pmu_events(const struct pmu *p, struct arena *a, struct names *out);

/* The names of all terms, for messages: "config,event,umask". */
void pmu_terms(const struct pmu *p, char *out, size_t cap);

#endif
