/* SPDX-License-Identifier: MIT */
/* event_scan.h - the words of an -e option: names, numbers, modifiers, terms; for the parsers of events alone */
#ifndef RECORD_EVENT_EVENT_SCAN_H
#define RECORD_EVENT_EVENT_SCAN_H

#include "record/event/event.h"

#define NAME_MAX_BYTES 255

struct event_scan {
	const char *text, *p;
	struct events *list;
	const struct event_roots *roots;
	struct sonde_error *err;
	char required[NAME_MAX_BYTES + 1];  /* the term that the event leaves to the user with `term=?` */
};

/* name, or name=value */
struct term {
	char name[NAME_MAX_BYTES + 1];
	char value[NAME_MAX_BYTES + 1];
	bool has_value;
	const char *at;              /* in the text, for messages */
};

/* Sets the error for the place `at` of the text. */
int scan_bad(const struct event_scan *s, const char *at, enum sonde_code code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* A copy that lives as long as the list; NULL when out of memory. */
const char *scan_keep(struct event_scan *s, const char *p, size_t len);
void scan_blanks(struct event_scan *s);
bool scan_is_name(char c);

/* Takes a name into out; false if there is none or it is too long. */
bool scan_name(struct event_scan *s, char out[NAME_MAX_BYTES + 1]);

/* The whole text as a number, or as "r1a8" and "r0x1a8". */
bool scan_number(const char *text, uint64_t *out);
bool scan_raw(const char *name, uint64_t *out);

/* Takes a term, which ends before a comma or a slash. */
int scan_term(struct event_scan *s, struct term *t);

/* Modifiers at s->p, with their colon or, after a slash or brace, without it. Added to the events from `first` on. */
int scan_modifiers(struct event_scan *s, size_t first, bool colon_optional);

#endif
