/* SPDX-License-Identifier: MIT */
/* event_scan.h - reading the text of an -e option: words, modifiers, terms between slashes; for event.c alone. */
#ifndef RECORD_PERF_EVENT_SCAN_H
#define RECORD_PERF_EVENT_SCAN_H

#include "record/perf/event.h"
#include "record/host/pmu.h"

#define NAME_MAX_BYTES 255

struct scan {
	const char *text, *p;
	struct events *list;
	const struct event_roots *roots;
	struct sonde_error *err;
	char required[NAME_MAX_BYTES + 1];  /* the term that the event leaves to the user with `term=?` */
};

/* Sets the error for the place `at` of the text. */
int scan_bad(const struct scan *s, const char *at, enum sonde_code code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* A copy that lives as long as the list; NULL when out of memory. */
const char *scan_keep(struct scan *s, const char *p, size_t len);
void scan_blanks(struct scan *s);
bool scan_is_name(char c);

/* Takes a name into out; false if there is none or it is too long. */
bool scan_name(struct scan *s, char out[NAME_MAX_BYTES + 1]);

/* The whole text as a number, or as "r1a8" and "r0x1a8". */
bool scan_number(const char *text, uint64_t *out);
bool scan_raw(const char *name, uint64_t *out);

/* Modifiers at s->p, with their colon or, after a slash or brace, without it. Added to the events from `first` on. */
int scan_modifiers(struct scan *s, size_t first, bool colon_optional);

enum term_use { USE_TRACEPOINT = 1, USE_OTHER = 2, USE_ALL = 3 };

/* "/terms/" at s->p for the events from `first` on, all of one PMU or of none; then modifiers. */
int scan_terms(struct scan *s, size_t first, const struct pmu *pmu, enum term_use use);

/* Makes e the event that the PMU has by this name: 1, 0 if it has none, or negative. */
int scan_alias(struct scan *s, struct event *e, const struct pmu *pmu, const char *name, const char *at);

#endif
