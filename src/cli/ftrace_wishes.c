/* SPDX-License-Identifier: MIT */
/* ftrace_wishes.c - what the command line says of events, filters and tracers, in its order */
#include <stdlib.h>
#include <string.h>

#include "cli/record_ftrace.h"

#define WISHES_MAX 1024

struct wish wishes[WISHES_MAX];
size_t nr_wishes;

int wish_add(enum wish_kind kind, const char *text)
{
	if (nr_wishes == WISHES_MAX) {
		say_usage("more than %d events and filters", WISHES_MAX);
		return -SONDE_USAGE;
	}
	wishes[nr_wishes++] = (struct wish){ kind, text };
	return 0;
}

const char *wish_option(enum wish_kind kind)
{
	static const char *const names[] = { "-e", "--filter", "--trigger", "--tracer", "-O", "--instance", "-l", "-n", "--graph-func" };

	return names[kind];
}

int ftrace_add_trigger(const char *arg) { return wish_add(WISH_TRIGGER, arg); }
int ftrace_add_tracer(const char *arg) { return wish_add(WISH_TRACER, arg); }
int ftrace_add_option(const char *arg) { return wish_add(WISH_OPTION, arg); }
int ftrace_add_instance(const char *arg) { return wish_add(WISH_INSTANCE, arg); }
int ftrace_add_function(const char *arg) { return wish_add(WISH_FUNCTION, arg); }
int ftrace_add_no_function(const char *arg) { return wish_add(WISH_NO_FUNCTION, arg); }
int ftrace_add_graph_function(const char *arg) { return wish_add(WISH_GRAPH_FUNCTION, arg); }

/* What was asked for cannot be: by whose fault tells the exit status. */
static int say_refused(const char *option, const struct sonde_error *e)
{
	return e->code == SONDE_SYSTEM ? say_error(NULL, e) : say_usage("%s: %s", option, e->text);
}

/* One word of -e: what tracefs has is recorded there. */
static int add_word(struct sonde_ftrace *tracer, struct sonde_recorder *recorder, const char *word, size_t *nr_perf)
{
	if (sonde_ftrace_count_events(tracer, word)) {
		if (sonde_ftrace_add_event(tracer, word) < 0)
			return say_usage("%s", sonde_ftrace_error(tracer)->text);
		return 0;
	}
	if (sonde_recorder_add_event(recorder, word) < 0) {
		if (sonde_ftrace_add_event(tracer, word) < 0)
			return say_refused("-e", sonde_ftrace_error(tracer));
		return say_usage("%s", sonde_recorder_error(recorder)->text);
	}
	++*nr_perf;
	return 0;
}

/* A list, unless the commas belong to an event of perf. */
static int add_events(struct sonde_ftrace *tracer, struct sonde_recorder *recorder, const char *text, size_t *nr_perf)
{
	bool whole = strpbrk(text, "{/") || sonde_ftrace_count_events(tracer, text);
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

static int take_wish(struct sonde_ftrace *tracer, struct sonde_recorder *recorder, const struct wish *w, size_t *nr_perf)
{
	int r = 0;

	switch (w->kind) {
	case WISH_EVENT:
		return add_events(tracer, recorder, w->text, nr_perf);
	case WISH_FILTER:
		r = sonde_ftrace_add_filter(tracer, w->text);
		break;
	case WISH_TRIGGER:
		r = sonde_ftrace_add_trigger(tracer, w->text);
		break;
	case WISH_TRACER:
		r = sonde_ftrace_set_tracer(tracer, w->text);
		break;
	case WISH_OPTION:
		r = sonde_ftrace_add_option(tracer, w->text);
		break;
	case WISH_INSTANCE:
		r = sonde_ftrace_add_instance(tracer, w->text);
		break;
	case WISH_FUNCTION:
		r = sonde_ftrace_set(tracer, "set_ftrace_filter", w->text);
		break;
	case WISH_NO_FUNCTION:
		r = sonde_ftrace_set(tracer, "set_ftrace_notrace", w->text);
		break;
	case WISH_GRAPH_FUNCTION:
		r = sonde_ftrace_set(tracer, "set_graph_function", w->text);
		break;
	}
	return r < 0 ? say_refused(wish_option(w->kind), sonde_ftrace_error(tracer)) : 0;
}

int wishes_take(struct sonde_ftrace *tracer, struct sonde_recorder *recorder, size_t *nr_perf)
{
	int status = 0;

	for (size_t i = 0; i < nr_wishes && status == 0; i++)
		status = take_wish(tracer, recorder, &wishes[i], nr_perf);
	return status;
}
