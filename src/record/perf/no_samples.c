/* SPDX-License-Identifier: MIT */
#include "record/perf/no_samples.h"

#include <inttypes.h>
#include <linux/perf_event.h>

#include "base/buf.h"

enum { EVENTS_MOST = 3 };            /* a wildcard may have named hundreds */

/* The event of the side band has no samples. */
static bool is_sampled(const struct event *e)
{
	return !e->off_cpu && !(e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_DUMMY);
}

static uint64_t count_of(const struct sonde_perf_recorder *r, size_t event)
{
	uint64_t sum = 0;

	for (size_t t = 0; t < r->target.tids.n; t++)
		for (size_t n = 0; n < r->target.cpus.n; n++)
			sum += counters_value(&r->counters, event, counters_cell(&r->counters, event, t, n));
	return sum;
}

/* The mode of the CPU whose samples the kernel leaves out; NULL: none. */
static const char *excluded_mode(const struct sonde_attr *a)
{
	bool user = a->flags & SONDE_ATTR_EXCLUDE_USER, kernel = a->flags & SONDE_ATTR_EXCLUDE_KERNEL;

	return kernel && !user ? "the kernel" : user && !kernel ? "user space" : NULL;
}

static void put_event(struct buf *out, const struct event *e, uint64_t count)
{
	const struct sonde_attr *a = &e->attr;
	const char *excluded = excluded_mode(a);

	buf_printf(out, "%s %s %" PRIu64 " %s", e->name, a->type == PERF_TYPE_SOFTWARE && a->config <= 1 ?
		   "counted" : "happened", count, a->type == PERF_TYPE_SOFTWARE && a->config <= 1 ? "ns" :
		   count == 1 ? "time" : "times");
	for (size_t i = 0; i < e->filters.n; i++)
		buf_printf(out, "%s '%s'", i ? " and" : " where the filter holds:", e->filters.at[i]);
	if (count && a->flags & SONDE_ATTR_FREQ)
		buf_printf(out, ", and is sampled at %" PRIu64 " Hz", a->sample_period);
	else if (count && count < a->sample_period)
		buf_printf(out, ", and a sample is taken every %" PRIu64, a->sample_period);
	if (excluded)
		buf_printf(out, ", and %s is left out", excluded);
}

/* Puts the requests that must come true before any event may count. */
static void put_requests(const struct sonde_perf_recorder *r, struct buf *out)
{
	if (r->opts.when.start_disabled)
		buf_str(out, "the events were off at the start, and had to be turned on; ");
	else if (r->opts.when.nr_windows)
		buf_str(out, "only some time of the run was to be recorded; ");
}

const char *no_samples_reason(struct sonde_perf_recorder *r)
{
	struct buf out = BUF_MEMORY;
	const char *text;
	size_t shown = 0, sampled = 0;

	put_requests(r, &out);
	for (size_t i = 0; i < r->events.n; i++) {
		if (!is_sampled(&r->events.at[i]) || sampled++ >= EVENTS_MOST)
			continue;
		buf_str(&out, shown++ ? "; " : "");
		put_event(&out, &r->events.at[i], count_of(r, i));
	}
	if (sampled > shown)
		buf_printf(&out, "; and %zu further %s", sampled - shown, sampled - shown == 1 ? "event" : "events");
	text = out.failed ? NULL : arena_strndup(&r->arena, out.p ? out.p : "", out.n);
	buf_free(&out);
	return text;
}
