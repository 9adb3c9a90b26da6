/* SPDX-License-Identifier: MIT */
#include "record/perf/running_kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "record/event/event.h"
#include "record/host/proc.h"
#include "record/host/tracefs.h"
#include "record/perf/tracing_data.h"

#define PATH_BYTES 800

uint64_t running_kernel_address(const char *symbol)
{
	struct proc_kernel k;

	return proc_kernel("/proc/kallsyms", "/proc/iomem", &k) && strcmp(k.symbol, symbol) == 0 ? k.addr : 0;
}

/* The index of a number in a list; SIZE_MAX if it is not there. */
static size_t place_of(uint64_t id, const uint64_t *ids, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (ids[i] == id)
			return i;
	return SIZE_MAX;
}

/* Adds the tracepoints of a system whose numbers are wanted, and marks these. */
static int find_in_system(struct events *list, const char *tracefs, const char *system, const uint64_t *ids,
			  bool *found, size_t nr)
{
	struct names points = { 0 };
	char dir[PATH_BYTES];
	uint64_t id;
	int r = 0;

	snprintf(dir, sizeof(dir), "%s/events/%.255s", tracefs, system);
	if (sysfile_list(&list->arena, dir, &points) < 0)
		points.n = 0;
	for (size_t i = 0; r == 0 && i < points.n; i++) {
		struct event e = { .system = system, .tracepoint = points.at[i] };
		size_t at = sysfile_u64(&id, "%s/%.255s/id", dir, points.at[i]) ? place_of(id, ids, nr) : SIZE_MAX;

		if (at == SIZE_MAX)
			continue;
		found[at] = true;
		e.attr.config = id;
		r = vec_push(list, e);
	}
	vec_free(&points);
	return r;
}

static int find_tracepoints(struct events *list, const char *tracefs, const uint64_t *ids, size_t nr,
			    struct sonde_error *err)
{
	bool *found = calloc(nr + 1, sizeof(*found));
	struct names systems = { 0 };
	char dir[PATH_BYTES];
	int r = 0;

	snprintf(dir, sizeof(dir), "%s/events", tracefs);
	if (!found)
		r = -SONDE_NOMEM;
	else if (sysfile_list(&list->arena, dir, &systems) < 0)
		r = err_set(err, SONDE_DENIED, SONDE_NONE, TRACEFS_NOT_PERMITTED, tracefs, tracefs);
	for (size_t i = 0; r == 0 && i < systems.n; i++)
		r = find_in_system(list, tracefs, systems.at[i], ids, found, nr);
	for (size_t i = 0; r == 0 && i < nr; i++)
		if (!found[place_of(ids[i], ids, nr)])
			r = err_set(err, SONDE_MISSING, SONDE_NONE, "this kernel has no tracepoint %" PRIu64, ids[i]);
	vec_free(&systems);
	free(found);
	return r == -SONDE_NOMEM ? err_nomem(err) : r;
}

int running_kernel_formats(const uint64_t *ids, size_t nr, struct buf *out, struct sonde_error *err)
{
	const char *tracefs = tracefs_find();
	struct events list = { 0 };
	int r;

	if (!tracefs)
		return err_set(err, SONDE_MISSING, SONDE_NONE, TRACEFS_NOT_MOUNTED);
	r = find_tracepoints(&list, tracefs, ids, nr, err);
	if (r == 0)
		r = tracing_data_make(out, &list, tracefs, err);
	events_free(&list);
	return r;
}
