/* SPDX-License-Identifier: MIT */
/* ftrace_recorder_known.c - the names that tracefs knows */
#include <stdio.h>
#include <string.h>

#include "record/ftrace/recorder.h"
#include "record/host/tracefs.h"

static int add(struct sonde_ftrace_recorder *t, struct names *out, const char *p, size_t n)
{
	const char *copy = arena_strndup(&t->arena, p, n);

	return copy && vec_push(out, copy) == 0 ? 0 : -SONDE_NOMEM;
}

/* Splits the content of a file into words: "blk function nop", "[local] global". */
static int add_words(struct sonde_ftrace_recorder *t, const char *file, struct names *out)
{
	struct buf b = BUF_MEMORY;
	const char *p = "";
	int r = 0;

	if (tracefs_read(&b, t->tracefs, file) == 0) {
		buf_char(&b, '\0');
		r = b.failed;
		p = b.p;
	}
	while (r == 0 && *(p += strspn(p, " \n[]"))) {
		size_t n = strcspn(p, " \n[]");

		r = add(t, out, p, n);
		p += n;
	}
	buf_free(&b);
	return r;
}

static int add_directory(struct sonde_ftrace_recorder *t, const char *dir, struct names *out)
{
	char path[TRACEFS_PATH];
	int r;

	snprintf(path, sizeof(path), "%s/%s", t->tracefs, dir);
	r = sysfile_list(&t->arena, path, out);
	return r == -SONDE_NOMEM ? r : 0;
}

static bool is_event(struct sonde_ftrace_recorder *t, const char *system, const char *name)
{
	uint64_t id;

	return sysfile_u64(&id, "%s/events/%s/%s/id", t->tracefs, system, name);
}

/* Leaves out files beside the systems, and the tracers' own events, which cannot be enabled. */
static int add_systems(struct sonde_ftrace_recorder *t, struct names *out)
{
	struct names all = { 0 };
	int r = add_directory(t, "events", &all);

	for (size_t i = 0; i < all.n && r == 0; i++) {
		char path[TRACEFS_PATH];
		struct names files = { 0 };
		struct arena scratch = { 0 };

		snprintf(path, sizeof(path), "%s/events/%.255s", t->tracefs, all.at[i]);
		if (strcmp(all.at[i], "ftrace") != 0 && sysfile_list(&scratch, path, &files) == 0)
			r = vec_push(out, all.at[i]) < 0 ? -SONDE_NOMEM : 0;
		vec_free(&files);
		arena_free(&scratch);
	}
	vec_free(&all);
	return r;
}

static int add_events(struct sonde_ftrace_recorder *t, struct names *out)
{
	struct names systems = { 0 };
	int r = add_systems(t, &systems);

	for (size_t i = 0; i < systems.n && r == 0; i++) {
		struct names events = { 0 };
		char text[600];

		snprintf(text, sizeof(text), "events/%.255s", systems.at[i]);
		r = add_directory(t, text, &events);
		for (size_t k = 0; k < events.n && r == 0; k++) {
			int n = snprintf(text, sizeof(text), "%.255s:%.255s", systems.at[i], events.at[k]);

			if (is_event(t, systems.at[i], events.at[k]))
				r = add(t, out, text, (size_t)n);
		}
		vec_free(&events);
	}
	vec_free(&systems);
	return r;
}

const char *const *sonde_ftrace_recorder_known(struct sonde_ftrace_recorder *t, enum sonde_ftrace_kind kind)
{
	struct names all = { 0 };
	const char *const *out = NULL;
	int r = 0;

	if (!t->tracefs)
		r = 0;
	else if (kind == SONDE_FTRACE_SYSTEMS)
		r = add_systems(t, &all);
	else if (kind == SONDE_FTRACE_EVENTS)
		r = add_events(t, &all);
	else if (kind == SONDE_FTRACE_OPTIONS)
		r = add_directory(t, "options", &all);
	else
		r = add_words(t, kind == SONDE_FTRACE_TRACERS ? "available_tracers" : "trace_clock", &all);
	if (r == 0 && vec_push(&all, NULL) == 0)
		out = arena_memdup(&t->arena, all.at, all.n * sizeof(*all.at));
	vec_free(&all);
	return out;
}
