/* SPDX-License-Identifier: MIT */
/*
 * filter.h - which events: "EVENT,SYSTEM/EVENT,...: EXPRESSION", as trace-cmd report -F takes it
 *
 * EVENT and SYSTEM are regular expressions for whole names, in any case; one without '/' is that of an event or of a
 * system. The expression has the fields of the event, COMM and CPU; numbers; strings in either quotes; == != < <= > >=,
 * ~ (a string against a pattern with * ? [...]), =~ and !~ (against a regular expression, anywhere in it, in any case);
 * & | ^ << >> + - * / %, which bind more strongly than comparisons; && || ! and parentheses. An integer that is
 * compared with a string is the address of a function of that name. What is compared with a field that the event does
 * not have is false.
 *
 * tracefmt_filter_match() remembers where it found fields: a filter is for one thread at a time.
 */
#ifndef TRACEFMT_FILTER_FILTER_H
#define TRACEFMT_FILTER_FILTER_H

#include "tracefmt/tracefmt.h"

struct tracefmt_filter;

/* 0, -SONDE_USAGE when @text is none, and @err says why, -SONDE_NOMEM. */
int tracefmt_filter_new(struct tracefmt_filter **out, const char *text, struct sonde_error *err);
void tracefmt_filter_free(struct tracefmt_filter *f);

/* Whether it is about this event at all. */
bool tracefmt_filter_names(const struct tracefmt_filter *f, const struct tracefmt_event *e);

/* A record, and what there is to know of it. */
struct tracefmt_candidate {
	const struct tracefmt_event *event;
	struct sonde_bytes raw;
	const struct tracefmt_boot *boot;  /* of its buffer, see tracefmt_boot() */
	const char *comm;
	int32_t cpu;
};

/* Whether the expression holds for a record of a chosen event; true if there is no expression. */
bool tracefmt_filter_match(struct tracefmt_filter *f, const struct tracefmt_candidate *record);

#endif
