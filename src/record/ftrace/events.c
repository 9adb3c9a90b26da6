/* SPDX-License-Identifier: MIT */
/* events.c - which events an instance records, with their filters and triggers */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "record/ftrace/events.h"

#include "record/ftrace/undo.h"

#define ALL_SYSTEMS "*"
#define EVENT_FILE(name) "events/%.255s/%.255s/" name

static bool is_added(const struct ftrace_instance *in, size_t before, const char *system, const char *name)
{
	for (size_t i = 0; i < before; i++)
		if (!strcmp(in->events.at[i].name, name) && !strcmp(in->events.at[i].system, system))
			return true;
	return false;
}

/* The events of one system whose name matches. */
static size_t select_in(struct ftrace_instance *in, struct arena *a, const char *tracefs, const char *system,
			const char *pattern, size_t before, bool add)
{
	struct names events = { 0 };
	struct arena scratch = { 0 };
	char path[TRACEFS_PATH];
	size_t n = 0;

	snprintf(path, sizeof(path), "%s/events/%.255s", tracefs, system);
	if (sysfile_list(add ? a : &scratch, path, &events) < 0)
		events.n = 0;
	for (size_t i = 0; i < events.n; i++) {
		const char *name = events.at[i];
		uint64_t id;

		if (fnmatch(pattern, name, 0) != 0 || !sysfile_u64(&id, "%s/%.255s/id", path, name))
			continue;
		n++;
		if (add && !is_added(in, before, system, name) &&
		    vec_push(&in->events, ((struct ftrace_event){ .system = system, .name = name })) < 0)
			break;
	}
	vec_free(&events);
	arena_free(&scratch);
	return n;
}

size_t ftrace_events_select(struct ftrace_instance *in, struct arena *a, const char *tracefs, const char *text,
			    bool add)
{
	const char *colon = strchr(text, ':');
	struct names systems = { 0 };
	char system[256], path[TRACEFS_PATH];
	size_t before = in->events.n, n = 0;
	bool all = !strcmp(text, "all");

	snprintf(system, sizeof(system), "%.*s", colon ? (int)(colon - text) : 255, colon ? text : ALL_SYSTEMS);
	snprintf(path, sizeof(path), "%s/events", tracefs);
	if (sysfile_list(a, path, &systems) < 0)
		systems.n = 0;
	for (size_t i = 0; i < systems.n; i++) {
		const char *s = systems.at[i];
		const char *pattern = text;

		/* what the tracers themselves write: it cannot be switched on */
		if (!strcmp(s, "ftrace") || fnmatch(system, s, 0) != 0)
			continue;
		if (all || (!colon && fnmatch(text, s, 0) == 0))
			pattern = "*";
		else if (colon)
			pattern = colon[1] ? colon + 1 : "*";
		n += select_in(in, a, tracefs, s, pattern, before, add);
	}
	vec_free(&systems);
	if (add && n)
		in->first_of_last_add = before;
	return n;
}

int ftrace_events_take_over(struct ftrace_instance *in, struct arena *a)
{
	size_t before = in->events.n;
	struct buf b = BUF_MEMORY;
	char *rest, *line, *text;
	int e = 0;

	if (tracefs_read(&b, in->dir, "set_event") < 0)
		b.n = 0;
	buf_char(&b, '\0');
	rest = text = b.failed ? NULL : arena_strndup(a, b.p, b.n);
	if (!text)
		e = -SONDE_NOMEM;
	while (e == 0 && (line = strsep(&rest, "\n"))) {
		char *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon = '\0';
		if (!is_added(in, before, line, colon + 1) &&
		    vec_push(&in->events, ((struct ftrace_event){ .system = line, .name = colon + 1 })) < 0)
			e = -SONDE_NOMEM;
	}
	buf_free(&b);
	return e;
}

/* The text of error_log about the last thing that was refused. */
static void last_error(const struct ftrace_instance *in, char *out, size_t cap)
{
	struct buf b = BUF_MEMORY;
	const char *at = NULL, *p;

	*out = '\0';
	if (tracefs_read(&b, in->dir, "error_log") == 0 && b.n) {
		buf_char(&b, '\0');
		for (p = b.p; !b.failed && (p = strstr(p, "error: ")); p++)
			at = p;
		if (at)
			snprintf(out, cap, "%.*s", (int)strcspn(at + 7, "\n"), at + 7);
	}
	buf_free(&b);
}

static int refused(const struct ftrace_instance *in, const struct ftrace_event *ev, const char *what, const char *text,
		   int e, struct sonde_error *err)
{
	char why[256];

	last_error(in, why, sizeof(why));
	return err_set(err, SONDE_USAGE, SONDE_NONE, "%s:%s: the kernel refuses the %s '%.200s': %s", ev->system,
		       ev->name, what, text, *why ? why : strerror(-e));
}

static int set_filter(struct ftrace_instance *in, const struct ftrace_event *ev, struct sonde_error *err)
{
	struct buf b = BUF_MEMORY;
	char file[TRACEFS_PATH];
	int e;

	if (!ev->filters.n)
		return 0;
	for (size_t i = 0; i < ev->filters.n; i++)
		buf_printf(&b, "%s(%s)", i ? "&&" : "", ev->filters.at[i]);
	buf_char(&b, '\0');
	if (b.failed) {
		buf_free(&b);
		return err_nomem(err);
	}
	snprintf(file, sizeof(file), EVENT_FILE("filter"), ev->system, ev->name);
	e = ftrace_instance_write(in, file, b.p, false);
	if (e < 0)
		e = refused(in, ev, "filter", b.p, e, err);
	buf_free(&b);
	return e;
}

static int set_triggers(struct ftrace_instance *in, const struct ftrace_event *ev, struct sonde_error *err)
{
	char file[TRACEFS_PATH];

	snprintf(file, sizeof(file), EVENT_FILE("trigger"), ev->system, ev->name);
	for (size_t i = 0; i < ev->triggers.n; i++) {
		int e = ftrace_instance_write(in, file, ev->triggers.at[i], true);

		if (e < 0)
			return refused(in, ev, "trigger", ev->triggers.at[i], e, err);
	}
	return 0;
}

static bool is_plain(const struct ftrace_event *ev)
{
	return !ev->filters.n && !ev->triggers.n;
}

/* Whether the events from i on are all of a system, which then is switched on at once; their number. */
static size_t whole_system(const struct ftrace_instance *in, size_t i)
{
	const char *system = in->events.at[i].system;
	struct names all = { 0 };
	struct arena scratch = { 0 };
	char path[TRACEFS_PATH];
	size_t n = 0, there = 0;
	uint64_t id;

	while (i + n < in->events.n && !strcmp(in->events.at[i + n].system, system) && is_plain(&in->events.at[i + n]))
		n++;
	snprintf(path, sizeof(path), "%s/events/%.255s", in->dir, system);
	if (n > 1 && sysfile_list(&scratch, path, &all) == 0)
		for (size_t k = 0; k < all.n; k++)
			there += sysfile_u64(&id, "%s/%.255s/id", path, all.at[k]);
	vec_free(&all);
	arena_free(&scratch);
	return there == n ? n : 0;
}

int ftrace_events_enable(struct ftrace_instance *in, const struct messenger *m, struct sonde_error *err)
{
	char file[TRACEFS_PATH];
	size_t i = 0, refusals = 0;
	int e = 0;

	while (i < in->events.n && e == 0) {
		const struct ftrace_event *ev = &in->events.at[i];
		size_t whole = in->created && is_plain(ev) ? whole_system(in, i) : 0;

		snprintf(file, sizeof(file), "events/%.255s/enable", ev->system);
		if (whole && ftrace_instance_write(in, file, "1", false) == 0) {
			i += whole;
			continue;
		}
		e = set_filter(in, ev, err);
		if (e == 0)
			e = set_triggers(in, ev, err);
		if (e == 0) {
			int failed;

			snprintf(file, sizeof(file), EVENT_FILE("enable"), ev->system, ev->name);
			failed = ftrace_instance_write(in, file, "1", false);
			if (failed < 0 && refusals++ < 8)
				messenger_say(m, "%s:%s cannot be switched on: %s", ev->system, ev->name,
					      strerror(-failed));
		}
		i++;
	}
	if (e == 0 && refusals && refusals == in->events.n)
		return err_set(err, SONDE_DENIED, SONDE_NONE, "none of the events can be switched on");
	return e;
}
