/* SPDX-License-Identifier: MIT */
#include "cli/base/no_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/command.h"
#include "cli/base/memory.h"

enum { KINDS_SHOWN = 5, RECORD_TYPES = 256, TYPE_AUXTRACE = 71, TYPE_STAT = 76 };

struct kind {
	const char *name;
	uint64_t count;
};

/* The content of a trace. */
struct contents {
	struct kind *events;         /* samples by evsel; the last element counts samples without one */
	size_t nr_events;
	struct kind types[RECORD_TYPES];
	uint64_t samples, records;
	uint64_t without_cpu;        /* samples without a CPU */
	uint64_t first, last;        /* times of samples, SONDE_NONE if they have none */
};

static void count_sample(struct contents *c, const struct sonde_event *ev)
{
	struct kind *kind;

	c->samples++;
	c->without_cpu += ev->cpu < 0;
	kind = &c->events[ev->evsel && ev->evsel->index < c->nr_events ? ev->evsel->index : c->nr_events];
	kind->name = ev->evsel ? ev->evsel->name : "not described";
	kind->count++;
	if (ev->time == SONDE_NONE)
		return;
	c->first = c->first == SONDE_NONE || ev->time < c->first ? ev->time : c->first;
	c->last = c->last == SONDE_NONE || ev->time > c->last ? ev->time : c->last;
}

/* False: out of memory, or the trace cannot be read a second time. */
static bool count_contents(struct sonde_trace *t, struct contents *c)
{
	const struct sonde_query all = { .sz = sizeof(all), .split_reads = true };
	struct sonde_iter *it;
	const struct sonde_event *ev;

	*c = (struct contents){ .nr_events = sonde_trace_evsel_count(t), .first = SONDE_NONE, .last = SONDE_NONE };
	c->events = calloc(c->nr_events + 1, sizeof(*c->events));
	it = c->events && sonde_trace_info(t)->size_bytes != SONDE_NONE ? sonde_iter_new(t, &all) : NULL;
	if (!it)
		return false;
	while (sonde_iter_next(it, &ev) > 0) {
		if (ev->kind == SONDE_KIND_SAMPLE) {
			count_sample(c, ev);
		} else if (ev->type < RECORD_TYPES) {
			c->types[ev->type].name = sonde_event_type_name(ev->type);
			c->types[ev->type].count++;
			c->records++;
		}
	}
	sonde_iter_free(it);
	return true;
}

static int by_count(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

/* "24 STAT, 8 COMM", most frequent first. */
static void list_kinds(struct kind *kinds, size_t n, char *text, size_t size)
{
	size_t used = 0, i;

	text[0] = '\0';
	qsort(kinds, n, sizeof(*kinds), by_count);
	for (i = 0; i < n && i < KINDS_SHOWN && kinds[i].count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64 " %s", i ? ", " : "", kinds[i].count,
					 kinds[i].name ? kinds[i].name : "of unknown type");
	if (i < n && kinds[i].count && used < size)
		snprintf(text + used, size - used, ", ...");
}

/* Suggests a command that shows some of the content, or tells why a filter matched nothing. */
static const char *advice(const struct contents *c)
{
	if (c->samples)
		return c->without_cpu == c->samples ? "; their CPUs were not recorded" : "";
	if (c->types[TYPE_STAT].count)
		return "; 'sonde script' prints the counts of perf stat";
	return c->types[TYPE_AUXTRACE].count ? "; hardware trace is not decoded, 'sonde dump' shows its place" : "";
}

#define TYPE_SOFTWARE 1
#define SOFTWARE_DUMMY 9     /* the recorder's own, for the side band */

/* "; recorded was page-faults:u (without the kernel)": the events that had no sample. */
static void list_events(struct sonde_trace *t, char *text, size_t size)
{
	size_t used = 0, shown = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sonde_trace_evsel_count(t) && used < size; i++) {
		const struct sonde_evsel *e = sonde_trace_evsel_at(t, i);
		uint64_t without = e->attr ? e->attr->flags & (SONDE_ATTR_EXCLUDE_USER | SONDE_ATTR_EXCLUDE_KERNEL) : 0;

		if (!e->attr || (e->attr->type == TYPE_SOFTWARE && e->attr->config == SOFTWARE_DUMMY) ||
		    shown++ > KINDS_SHOWN)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s%s", shown > 1 ? ", " : "; it recorded ",
					 shown > KINDS_SHOWN ? "..." : e->name,
					 shown > KINDS_SHOWN ? "" :
					 without == SONDE_ATTR_EXCLUDE_KERNEL ? " (without the kernel)" :
					 without == SONDE_ATTR_EXCLUDE_USER ? " (without user space)" : "");
	}
}

static void say_contents(struct sonde_trace *t, const struct sonde_trace_info *info, struct contents *c)
{
	char events[1024] = "";
	const char *path = info->path, *noun = strcmp(info->format, "trace.dat") ? "sample" : "event",
		   *more = advice(c);
	char kinds[1024], times[96] = "";

	if (c->samples) {
		list_kinds(c->events, c->nr_events + 1, kinds, sizeof(kinds));
		if (c->first != SONDE_NONE)
			snprintf(times, sizeof(times), ", from %" PRIu64 ".%06" PRIu64 " to %" PRIu64 ".%06" PRIu64,
				 c->first / 1000000000, c->first / 1000 % 1000000, c->last / 1000000000,
				 c->last / 1000 % 1000000);
		if (c->samples == 1)
			warn("%s: its only %s was not asked for: %s%s%s", path, noun, kinds, times, more);
		else
			warn("%s: none of its %" PRIu64 " %ss was asked for: %s%s%s", path, c->samples, noun, kinds,
			     times, more);
	} else if (c->records) {
		list_kinds(c->types, RECORD_TYPES, kinds, sizeof(kinds));
		if (!*more && strcmp(info->format, "trace.dat"))
			list_events(t, events, sizeof(events));
		warn("%s: has no %ss; its %s %s%s%s", path, noun, c->records == 1 ? "only record is" : "records are",
		     kinds, more, events);
	} else {
		warn("%s: has no %ss and no other records", path, noun);
	}
}

void say_no_samples(struct sonde_trace *const *traces, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct sonde_trace_info *info = sonde_trace_info(traces[i]);
		struct contents c = { 0 };

		if (!info || sonde_trace_error(traces[i])->code)
			continue;  /* its error has been printed */
		if (count_contents(traces[i], &c))
			say_contents(traces[i], info, &c);
		else
			warn("%s: has no samples, or none that matches", info->path);
		free(c.events);
	}
}

static bool has_samples(const char *path)
{
	const struct sonde_query samples = { .sz = sizeof(samples), .samples_only = true };
	struct sonde_trace *t = sonde_trace_new();
	struct sonde_iter *it = NULL;
	const struct sonde_event *ev;
	bool any = true;             /* true also for a file that cannot be read */

	if (t && sonde_trace_open(t, path, open_options()) == 0)
		it = sonde_iter_new(t, &samples);
	if (it)
		any = sonde_iter_next(it, &ev) > 0;
	sonde_iter_free(it);
	sonde_trace_free(t);
	return any;
}

void say_no_samples_cut(const char *input, const char *output)
{
	struct sonde_trace *t;

	if (has_samples(output))
		return;
	t = sonde_trace_new();
	if (t && sonde_trace_open(t, input, open_options()) == 0)
		say_no_samples(&t, 1);
	sonde_trace_free(t);
}
