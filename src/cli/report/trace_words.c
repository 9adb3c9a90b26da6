/* SPDX-License-Identifier: MIT */
#include "cli/report/trace_words.h"

#include <sonde/export.h>
#include <sonde/tracepoint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/lists.h"
#include "cli/base/message.h"
#include "cli/base/report.h"

/* The parts of "EVENT.FIELD/raw". */
struct trace_word {
	char *event;                 /* NULL: any */
	const char *suffix;          /* "/raw" or "" */
};

static int read_word(struct trace_word *w, const char *text)
{
	size_t n = strlen(text);
	const char *dot = strchr(text, '.');

	*w = (struct trace_word){ .suffix = n > 4 && strcmp(text + n - 4, "/raw") == 0 ? "/raw" : "" };
	if (!dot)
		return 0;
	w->event = strndup(text, (size_t)(dot - text));
	return w->event ? 0 : say_out_of_memory();
}

/* The name of an event as the user spells it: a part of it, with its system or without. */
static const char *spell_event(const struct trace_word *w, const char *name)
{
	const char *colon = strchr(name, ':');

	if (strstr(name, w->event))
		return w->event;
	return strchr(w->event, ':') || !colon ? name : colon + 1;
}

static bool has(const struct strings *list, const char *text)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->at[i], text) == 0)
			return true;
	return false;
}

/* Adds the words for the fields of an event that are like the one typed. */
static int add_fields(struct strings *known, const struct trace_word *w, const struct sonde_tracepoint *tp)
{
	const struct sonde_tracepoint_field *f;
	int r = 0;

	for (size_t i = 0; (f = sonde_tracepoint_field_at(tp, i)) && r == 0; i++) {
		char *word;

		if (asprintf(&word, "%s%s%s%s", w->event ? spell_event(w, sonde_tracepoint_name(tp)) : "",
			     w->event ? "." : "", f->name, w->suffix) < 0)
			return say_out_of_memory();
		if (!has(known, word))
			r = list_add_words(known, word) < 0;
		free(word);
	}
	return r;
}

static int say_unknown_word(const struct opened_input *o, const char *kind, const char *text)
{
	static struct strings known;
	struct trace_word w;
	int r = read_word(&w, text);

	if (r == 0 && !w.event && !*w.suffix)
		r = report_add_columns(&known) < 0;
	for (size_t i = 0; i < o->n; i++)
		for (size_t k = 0; k < sonde_trace_evsel_count(o->traces[i]) && r == 0; k++) {
			const struct sonde_evsel *evsel = sonde_trace_evsel_at(o->traces[i], k);
			const struct sonde_tracepoint *tp = sonde_trace_tracepoint(o->traces[i], evsel);

			if (tp)
				r = add_fields(&known, &w, tp);
		}
	free(w.event);
	if (r == 0)
		r = list_add(&known, NULL) < 0;
	return r ? r : say_unknown(kind, text, known.at);
}

static void say_left_out(const struct sonde_profile *p)
{
	for (size_t i = 0; i < sonde_profile_event_count(p); i++) {
		const struct sonde_profile_event *e = sonde_profile_event_at(p, i);

		if (e->samples && sonde_profile_fields_left_out(p, i))
			warn("%s: a report has at most 20 fields of an event; further ones are left out", e->name);
	}
}

int trace_words_check(const struct opened_input *o, const struct sonde_profile *p, const struct strings *words,
		      size_t nr_sort)
{
	const char *unknown = sonde_profile_unknown_field(p);
	bool of_fields = true;

	if (unknown && !has(words, unknown))     /* --raw-trace adds one, which events that are no tracepoints lack */
		unknown = NULL;
	for (size_t i = 0; unknown && i < nr_sort; i++)
		of_fields = of_fields && strcmp(words->at[i], unknown) != 0;
	if (unknown)
		return say_unknown_word(o, of_fields ? "field" : "sort key", unknown);
	say_left_out(p);
	return 0;
}
