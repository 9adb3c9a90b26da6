/* SPDX-License-Identifier: MIT */
#include "record/event/event_tracepoint.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "record/event/event_list.h"
#include "record/event/event_near.h"
#include "record/event/event_term.h"

static int add_tracepoint(struct event_scan *s, const char *system, const char *name)
{
	struct event e = event_blank(PERF_TYPE_TRACEPOINT, 0);
	char full[2 * NAME_MAX_BYTES + 2];
	uint64_t id;

	if (!sysfile_u64(&id, "%s/events/%s/%s/id", s->roots->tracefs, system, name))
		return -SONDE_MISSING;
	e.attr.config = id;
	e.system = scan_keep(s, system, strlen(system));
	e.tracepoint = scan_keep(s, name, strlen(name));
	if (!e.system || !e.tracepoint)
		return err_nomem(s->err);
	snprintf(full, sizeof(full), "%.255s:%.255s", system, name);
	return event_list_add(s, &e, full);
}

/* All tracepoints that the two globs match. */
static int match_tracepoints(struct event_scan *s, const char *at, const char *system, const char *name)
{
	struct names systems = { 0 }, points = { 0 };
	size_t before = s->list->n;
	char dir[512];
	int r = 0, e;

	snprintf(dir, sizeof(dir), "%s/events", s->roots->tracefs);
	e = sysfile_list(&s->list->arena, dir, &systems);
	if (e < 0)
		r = scan_bad(s, at, e == -EACCES ? SONDE_DENIED : SONDE_MISSING, "cannot read %s: %s%s", dir,
			     strerror(-e),
			     e == -EACCES ? " (tracefs is for root unless it is remounted with mode=755)" : "");
	for (size_t i = 0; r == 0 && i < systems.n; i++) {
		if (fnmatch(system, systems.at[i], 0) != 0)
			continue;
		points.n = 0;
		snprintf(dir, sizeof(dir), "%s/events/%s", s->roots->tracefs, systems.at[i]);
		if (sysfile_list(&s->list->arena, dir, &points) < 0)
			continue;  /* a file beside the systems */
		for (size_t k = 0; r == 0 && k < points.n; k++)
			if (fnmatch(name, points.at[k], 0) == 0) {
				r = add_tracepoint(s, systems.at[i], points.at[k]);
				if (r == -SONDE_MISSING)
					r = 0;  /* "enable", "filter", and events of ftrace, which have no ids */
			}
	}
	vec_free(&systems);
	vec_free(&points);
	if (r == 0 && s->list->n == before)
		r = scan_bad(s, at, SONDE_MISSING, "no tracepoint matches %s:%s", system, name);
	return r;
}

int event_unknown(const struct event_scan *s, const char *at, const char *system, const char *name)
{
	char near[2 * NAME_MAX_BYTES + 4], what[2 * NAME_MAX_BYTES + 24] = "no such event";
	const char *found = event_near(s->roots, system, name, near, sizeof(near));

	if (system)
		snprintf(what, sizeof(what), "no tracepoint %s:%s", system, name);
	if (found)
		return scan_bad(s, at, SONDE_MISSING, "%s; did you mean '%s'?", what, found);
	return scan_bad(s, at, SONDE_MISSING, "%s%s", what, system ? " (is its kernel option or module there?)" : "");
}

int event_tracepoint(struct event_scan *s, const char *at, const char *system, const char *name)
{
	size_t first = s->list->n;
	bool glob = strpbrk(system, "*?[") || strpbrk(name, "*?[");
	int r;

	if (!s->roots->tracefs)
		return scan_bad(s, at, SONDE_MISSING, "no such event; for a tracepoint, tracefs has to be mounted: "
			   "mount -t tracefs nodev /sys/kernel/tracing");
	/* A dot could lead out of the directory; no tracepoint has one there. */
	if (!glob && (*system == '.' || *name == '.'))
		return scan_bad(s, at, SONDE_MISSING, "no tracepoint %s:%s", system, name);
	r = glob ? match_tracepoints(s, at, system, name) : add_tracepoint(s, system, name);
	if (r == -SONDE_MISSING && !glob) {
		char text[32];
		ssize_t e = sysfile_read(text, sizeof(text), "%s/events/%s/%s/id", s->roots->tracefs, system, name);

		if (e == -EACCES)
			return scan_bad(s, at, SONDE_DENIED,
					"cannot read tracefs at %s: it is for root unless it is remounted with "
					"mode=755",
					s->roots->tracefs);
		return event_unknown(s, at, system, name);
	}
	if (r < 0)
		return r;
	return *s->p == '/' ? event_terms(s, first, NULL, USE_TRACEPOINT) : scan_modifiers(s, first, false);
}
