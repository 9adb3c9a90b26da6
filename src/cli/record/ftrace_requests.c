/* SPDX-License-Identifier: MIT */
/* ftrace_requests.c - events, filters and tracers of the command line, in their order */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/lists.h"
#include "cli/base/message.h"
#include "cli/record/ftrace.h"

#define REQUESTS_MAX 1024

struct record_request requests[REQUESTS_MAX];
size_t nr_requests;
struct ftrace_words ftrace;

int request_add(enum record_request_kind kind, const char *text)
{
	if (nr_requests == REQUESTS_MAX) {
		say_usage("more than %d events and filters", REQUESTS_MAX);
		return -SONDE_USAGE;
	}
	requests[nr_requests++] = (struct record_request){ kind, text };
	return 0;
}

const char *request_option(enum record_request_kind kind)
{
	static const char *const names[] = { "-e", "--filter", "--trigger", "--tracer", "-O", "--instance", "-l", "-n",
						"--graph-func",
						"--max-graph-depth", "--module", "-G", "--pfm-events" };

	return names[kind];
}

int ftrace_add_trigger(const char *arg) { return request_add(REQUEST_TRIGGER, arg); }
int ftrace_add_tracer(const char *arg) { return request_add(REQUEST_TRACER, arg); }
int ftrace_add_option(const char *arg) { return request_add(REQUEST_OPTION, arg); }
int ftrace_add_instance(const char *arg) { return request_add(REQUEST_INSTANCE, arg); }
int ftrace_add_function(const char *arg) { return request_add(REQUEST_FUNCTION, arg); }
int ftrace_add_no_function(const char *arg) { return request_add(REQUEST_NO_FUNCTION, arg); }
int ftrace_add_graph_function(const char *arg) { return request_add(REQUEST_GRAPH_FUNCTION, arg); }
int ftrace_add_graph_depth(const char *arg) { return request_add(REQUEST_GRAPH_DEPTH, arg); }
int ftrace_add_module(const char *arg) { return request_add(REQUEST_MODULE, arg); }

int ftrace_add_function_stacks(const char *arg)
{
	(void)arg;
	return request_add(REQUEST_OPTION, "func_stack_trace");
}

int ftrace_set_nothing(const char *arg)
{
	(void)arg;
	return 0;
}

int ftrace_set_include_self(const char *arg)
{
	(void)arg;
	ftrace.include_self = true;
	return 0;
}

int ftrace_set_ticks(const char *arg)
{
	(void)arg;
	ftrace.clock = "tsc2nsec";
	return 0;
}

/* ---- letters of trace-cmd ---- */

static bool is_number(const char *word)
{
	return word && *word && !word[strspn(word, "0123456789")];
}

bool ftrace_applies(const char *next)
{
	(void)next;
	return ftrace.wanted;
}

bool ftrace_applies_to_number(const char *next)
{
	return ftrace.wanted && is_number(next);
}

bool ftrace_applies_to_name(const char *next)
{
	return ftrace.wanted && next && (*next < '0' || *next > '9');
}

bool ftrace_applies_alone(const char *next)
{
	return ftrace.wanted && !(next && ((*next >= '0' && *next <= '9') || !strcmp(next, "max")));
}

bool ftrace_applies_to_function(const char *next)
{
	bool tracer = false;

	for (size_t i = 0; i < nr_requests; i++)
		tracer |= requests[i].kind == REQUEST_TRACER;
	return ftrace.wanted && tracer && next && *next != '-';
}

/* ---- the names that tracefs knows ---- */

/* Exit status 1 if the system refuses, 2 if the command line is wrong. */
static int say_refused(const char *option, const struct sonde_error *e)
{
	return e->code == SONDE_SYSTEM ? say_error(NULL, e) : say_usage("%s: %s", option, e->text);
}

static bool is_known(const char *const *known, const char *word)
{
	for (; *known; known++)
		if (!strcmp(*known, word))
			return true;
	return false;
}

int ftrace_check_name(struct sonde_ftrace_recorder *tracer, enum sonde_ftrace_kind kind, const char *what,
		      const char *word)
{
	const char *const *known = sonde_ftrace_recorder_known(tracer, kind);

	/* if the names cannot be read, the attempt fails with the reason */
	return !known || !*known || is_known(known, word) ? 0 : say_unknown(what, word, known);
}

/* "nooverwrite" switches an option off, but the name of an option may itself begin with "no". */
static int check_option(struct sonde_ftrace_recorder *tracer, const char *word)
{
	const char *const *known = sonde_ftrace_recorder_known(tracer, SONDE_FTRACE_OPTIONS);

	if (!known || !*known || is_known(known, word) || (!strncmp(word, "no", 2) && is_known(known, word + 2)))
		return 0;
	return say_unknown("option of tracefs", word, known);
}

/* Lists the events of the system that the word names, else the systems. */
static int say_no_event(struct sonde_ftrace_recorder *tracer, const char *word)
{
	const char *const *events = sonde_ftrace_recorder_known(tracer, SONDE_FTRACE_EVENTS), *const *systems,
			  *colon = strchr(word, ':');
	struct suggestion s = { .word = word };
	struct strings known = { 0 };
	int status;

	if (!events || !*events || !(systems = sonde_ftrace_recorder_known(tracer, SONDE_FTRACE_SYSTEMS)))
		return say_refused("-e", sonde_ftrace_recorder_error(tracer));
	for (size_t i = 0; events[i]; i++) {
		suggestion_add(&s, events[i]);
		if (colon && !strncmp(events[i], word, (size_t)(colon - word) + 1) && list_add(&known, events[i]) < 0)
			return 1;
	}
	for (size_t i = 0; systems[i]; i++)
		suggestion_add(&s, systems[i]);
	if (known.n && list_add(&known, NULL) == 0)
		status = say_unknown("event", word, known.at);
	else if (s.best)
		status = say_usage("there is no event '%s'; did you mean '%s'?", word, s.best);
	else
		status = say_unknown(colon ? "event" : "event or system", word, systems);
	free(known.at);
	return status;
}

/* ---- adding the requests to a recorder ---- */

static bool is_probe(const char *word)
{
	return !strncmp(word, "uprobe:", 7) || !strncmp(word, "probe:", 6) || !strncmp(word, "sdt:", 4);
}

/* A word of -e: an event of tracefs, else an event of perf. */
static int add_word(struct sonde_ftrace_recorder *tracer, struct sonde_perf_recorder *recorder, const char *word,
		    size_t *nr_perf)
{
	if (sonde_ftrace_recorder_count_events(tracer, word) || is_probe(word)) {
		if (sonde_ftrace_recorder_add_event(tracer, word) < 0)
			return say_refused("-e", sonde_ftrace_recorder_error(tracer));
		return 0;
	}
	if (sonde_perf_recorder_add_event(recorder, word) < 0) {
		if (sonde_ftrace_recorder_add_event(tracer, word) < 0 &&
		    sonde_ftrace_recorder_error(tracer)->code == SONDE_MISSING)
			return say_no_event(tracer, word);
		return say_refused("-e", sonde_ftrace_recorder_error(tracer));
	}
	++*nr_perf;
	return 0;
}

/* Splits a list of events, unless its commas are part of an event of perf. */
static int add_events(struct sonde_ftrace_recorder *tracer, struct sonde_perf_recorder *recorder, const char *text,
		      size_t *nr_perf)
{
	bool whole = strpbrk(text, "{/") || is_probe(text) || sonde_ftrace_recorder_count_events(tracer, text);
	char *copy = strdup(text), *rest = copy, *word;
	int status = copy ? 0 : 1;

	while (status == 0 && (word = whole ? rest : strsep(&rest, ","))) {
		status = add_word(tracer, recorder, word, nr_perf);
		if (whole)
			break;
	}
	free(copy);
	return status;
}

static int take_request(struct sonde_ftrace_recorder *tracer, struct sonde_perf_recorder *recorder,
			const struct record_request *w, size_t *nr_perf)
{
	char text[256];
	int r = 0;

	switch (w->kind) {
	case REQUEST_EVENT:
		return add_events(tracer, recorder, w->text, nr_perf);
	case REQUEST_FILTER:
		r = sonde_ftrace_recorder_add_filter(tracer, w->text);
		break;
	case REQUEST_TRIGGER:
		r = sonde_ftrace_recorder_add_trigger(tracer, w->text);
		break;
	case REQUEST_TRACER:
		if (ftrace_check_name(tracer, SONDE_FTRACE_TRACERS, "tracer", w->text))
			return 2;
		r = sonde_ftrace_recorder_set_tracer(tracer, w->text);
		break;
	case REQUEST_OPTION:
		if (check_option(tracer, w->text))
			return 2;
		r = sonde_ftrace_recorder_add_option(tracer, w->text);
		break;
	case REQUEST_INSTANCE:
		r = sonde_ftrace_recorder_add_instance(tracer, w->text);
		break;
	case REQUEST_FUNCTION:
		r = sonde_ftrace_recorder_set(tracer, "set_ftrace_filter", w->text);
		break;
	case REQUEST_NO_FUNCTION:
		r = sonde_ftrace_recorder_set(tracer, "set_ftrace_notrace", w->text);
		break;
	case REQUEST_GRAPH_FUNCTION:
		r = sonde_ftrace_recorder_set(tracer, "set_graph_function", w->text);
		break;
	case REQUEST_GRAPH_DEPTH:
		r = sonde_ftrace_recorder_set(tracer, "max_graph_depth", w->text);
		break;
	case REQUEST_CGROUP:
	case REQUEST_PFM:
		return say_usage("%s: this is not for --ftrace", request_option(w->kind));
	case REQUEST_MODULE:
		snprintf(text, sizeof(text), "*:mod:%s", w->text);
		r = sonde_ftrace_recorder_set(tracer, "set_ftrace_filter", text);
		break;
	}
	return r < 0 ? say_refused(request_option(w->kind), sonde_ftrace_recorder_error(tracer)) : 0;
}

int ftrace_requests_take(struct sonde_ftrace_recorder *tracer, struct sonde_perf_recorder *recorder, size_t *nr_perf)
{
	int status = 0;

	for (size_t i = 0; i < nr_requests && status == 0; i++)
		status = take_request(tracer, recorder, &requests[i], nr_perf);
	return status;
}

/* ---- why nothing was recorded ---- */

enum { NAMED_MOST = 4 };

void ftrace_requests_tell_empty(struct sonde_ftrace_recorder *tracer, const char *scope)
{
	char names[512] = "";
	size_t at = 0, nr_names = 0, nr_filters = 0;
	const char *filter = NULL;

	for (size_t i = 0; i < nr_requests; i++) {
		const struct record_request *w = &requests[i];
		bool tracer_name = w->kind == REQUEST_TRACER;

		if (w->kind == REQUEST_FILTER && nr_filters++ == 0)
			filter = w->text;
		if (!tracer_name && !(w->kind == REQUEST_EVENT && sonde_ftrace_recorder_count_events(tracer, w->text)))
			continue;
		if (nr_names++ < NAMED_MOST && at < sizeof(names))
			at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s%s%s", at ? ", " : "",
					       tracer_name ? "what the tracer '" : "", w->text,
					       tracer_name ? "' records" : "");
	}
	if (nr_names > NAMED_MOST)
		warn("there are no events: %s and %zu further words for events happened 0 times%s%s", names,
		     nr_names - NAMED_MOST, scope, nr_filters ? " where the filters hold" : "");
	else if (nr_names && nr_filters == 1)
		warn("there are no events: %s happened 0 times%s where the filter holds: '%s'", names, scope, filter);
	else if (nr_names)
		warn("there are no events: %s happened 0 times%s%s", names, scope,
		     nr_filters ? " where the filters hold" : "");
}
