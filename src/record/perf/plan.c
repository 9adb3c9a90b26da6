/* SPDX-License-Identifier: MIT */
#include "record/perf/plan.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "record/perf/aux_plan.h"
#include "record/perf/event_attr.h"

#define RING_DEFAULT_BYTES    (512u << 10)   /* what kernel.perf_event_mlock_kb permits everybody per CPU */
#define RING_MAX_BYTES        (16u << 20)
#define RING_TRACEPOINT_BYTES (4u << 20)
#define RINGS_TOTAL_BYTES     (UINT64_C(256) << 20)
#define WATERMARK_MAX_BYTES   (512u << 10)
#define FORMAT_LOST           (UINT64_C(1) << 4)

static bool is_tracepoint_of_syscalls(const struct event *e)
{
	return e->system && (!strcmp(e->system, "syscalls") || !strcmp(e->system, "raw_syscalls"));
}

/*
 * The size of a ring. For root it holds half a second at the wanted rate: it wakes the recorder when a quarter is full,
 * and each wake-up costs as much as a thousand samples. Tracepoints come at any rate.
 */
size_t plan_ring_bytes(const struct sonde_perf_recorder *r)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes = 0, limit, want = page;

	if (r->opts.rings.ring_bytes) {
		limit = bytes = r->opts.rings.ring_bytes;
	} else if (geteuid() != 0) {
		limit = bytes = RING_DEFAULT_BYTES;
	} else {
		for (size_t i = 0; i + 1 < r->events.n; i++) {
			const struct sonde_attr *a = &r->events.at[i].attr;

			bytes += a->flags & SONDE_ATTR_FREQ ? attr_sample_bytes(a) * a->sample_period / 2 :
							      RING_TRACEPOINT_BYTES;
		}
		limit = RINGS_TOTAL_BYTES / r->target.cpus.n;
		limit = limit < RING_MAX_BYTES ? limit : RING_MAX_BYTES;
		limit = limit > RING_DEFAULT_BYTES ? limit : RING_DEFAULT_BYTES;
		bytes = bytes > RING_DEFAULT_BYTES ? bytes : RING_DEFAULT_BYTES;
	}
	bytes = bytes < limit ? bytes : limit;
	while (want < bytes && want < SIZE_MAX / 4)
		want *= 2;
	return (size_t)want;
}

static bool any_callgraph(const struct sonde_perf_recorder *r, enum callgraph how)
{
	for (size_t i = 0; i < r->events.n; i++)
		if (r->events.at[i].callgraph == how)
			return true;
	return false;
}

static void tell_about_call_chains(const struct sonde_perf_recorder *r)
{
	if (any_callgraph(r, CALLGRAPH_LBR) && r->opts.fields.branch_sample_type)
		messenger_say(&r->messenger,
			      "the processor's branch records cannot hold stacks and other branches at once: "
			      "call chains are recorded by frame pointers");
}

/* perf record, too, takes these words and does nothing with them. */
static void tell_about_idle_words(const struct sonde_perf_recorder *r)
{
	for (size_t i = 0; i < r->events.n; i++) {
		const struct event *e = &r->events.at[i];
		const char *word = e->max_samples ? "the term nr" : e->percore ? "the term percore" :
				   e->modifiers & MOD_BPF ? "the modifier b" : NULL;

		if (word)
			messenger_say(&r->messenger, "%.80s: %s has no effect on a recording", e->name, word);
	}
}

static void make_one_group(struct events *list)
{
	for (size_t i = 0; i < list->n; i++) {
		list->at[i].leader = 0;
		list->at[i].group = "";
	}
}

/* After the user's events, so that it is in none of their groups. */
static int add_off_cpu(struct sonde_perf_recorder *r)
{
	int e = 0;

	for (size_t i = 0; i < r->events.n; i++)
		if (r->events.at[i].cgroup || r->events.at[i].time == 0)
			return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
				       "off-CPU time is recorded neither for control groups nor beside events without "
				       "time stamps");
	e = events_parse(&r->events, OFF_CPU_TRACEPOINT, &r->roots, &r->err);
	if (e == 0 && off_cpu_event(&r->events, &r->events.at[r->events.n - 1],
				    r->opts.stack.callgraph == SONDE_CALLGRAPH_DWARF) < 0)
		e = err_nomem(&r->err);
	return e;
}

int plan_attrs(struct sonde_perf_recorder *r)
{
	const struct sonde_perf_recorder_opts *o = &r->opts;
	bool tasks_given = o->target.nr_pids || o->target.nr_tids || o->target.of_user;
	struct attr_plan plan = {
		.opts = o, .per_cpu_target = r->target.system_wide,
		.starts_with_exec = o->target.command && !tasks_given && !r->target.system_wide &&
				!o->when.nr_windows &&
				    !o->when.start_disabled,
		.inherit = !o->target.no_inherit && !o->target.per_thread && (!o->target.nr_tids || o->target.inherit),
		.read_format = PERF_FORMAT_ID | FORMAT_LOST |
			       (o->side.task_counts ?
				PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING : 0),
	};
	size_t watermark, sideband;
	int e;

	sysfile_u64(&plan.max_freq_hz, "/proc/sys/kernel/perf_event_max_sample_rate");
	if (o->rate.strict_freq && plan.max_freq_hz && o->rate.freq_hz > plan.max_freq_hz)
		return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%llu Hz is more than kernel.perf_event_max_sample_rate permits: %llu",
			       (unsigned long long)o->rate.freq_hz, (unsigned long long)plan.max_freq_hz);
	if (plan.max_freq_hz && o->rate.freq_hz > plan.max_freq_hz)
		messenger_say(&r->messenger, "%llu Hz is lowered to %llu Hz: kernel.perf_event_max_sample_rate",
			      (unsigned long long)o->rate.freq_hz, (unsigned long long)plan.max_freq_hz);
	for (size_t i = 0; i < r->events.n; i++)
		if (r->events.at[i].modifiers & MOD_READ)
			plan.read_format |= PERF_FORMAT_GROUP;
	if (o->group_all)
		make_one_group(&r->events);
	if (o->off_cpu && (e = add_off_cpu(r)) < 0)
		return e;
	e = attrs_configure(&r->events, &plan, &r->err);
	if (e < 0)
		return e;
	aux_plan_attrs(r);
	tell_about_call_chains(r);
	tell_about_idle_words(r);
	if (o->rings.no_buffering)
		return 0;
	watermark = plan_ring_bytes(r) / 4;
	sideband = ring_set_sideband_bytes(plan_ring_bytes(r)) / 4;
	if (watermark > WATERMARK_MAX_BYTES)
		watermark = WATERMARK_MAX_BYTES;
	for (size_t i = 0; i < r->events.n; i++)
		r->events.at[i].attr.wakeup_events = (uint32_t)watermark;
	r->events.at[r->events.n - 1].attr.wakeup_events = (uint32_t)sideband;
	return 0;
}

static bool sees_recorder(const struct sonde_perf_recorder *r, const struct event *e)
{
	return e->system && (r->opts.exclude_self || (r->target.system_wide && is_tracepoint_of_syscalls(e)));
}

static int add_filter(struct events *list, struct event *e, const char *text)
{
	const char *filter = arena_strndup(&list->arena, text, strlen(text));

	return filter && vec_push(&e->filters, filter) == 0 ? 0 : -SONDE_NOMEM;
}

static int by_number(const void *a, const void *b)
{
	const pid_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The recorder's threads in order; *nr of them. NULL when out of memory. */
static pid_t *own_threads(const struct sonde_perf_recorder *r, size_t *nr)
{
	pid_t *tids = calloc(2 + 2 * r->readers.nr, sizeof(*tids));
	size_t n = 0;

	if (!tids)
		return NULL;
	tids[n++] = (pid_t)syscall(SYS_gettid);
	tids[n++] = r->queue.tid;
	for (size_t i = 0; i < r->readers.nr; i++) {
		tids[n++] = r->readers.at[i].tid;
		tids[n++] = r->readers.at[i].queue.tid;
	}
	qsort(tids, n, sizeof(*tids), by_number);
	*nr = n;
	return tids;
}

/* One comparison is enough for most tasks: those that are younger than the recorder. */
static void put_filter(struct buf *out, const pid_t *tids, size_t nr)
{
	buf_printf(out, "common_pid > %d || (", (int)tids[nr - 1]);
	for (size_t i = 0, run; i < nr; i += run) {
		const char *and = i ? " && " : "";

		for (run = 1; i + run < nr && tids[i + run] == tids[i] + (pid_t)run;)
			run++;
		if (run > 2)         /* the kernel takes a page of text at most */
			buf_printf(out, "%s(common_pid < %d || common_pid > %d)", and, (int)tids[i],
				   (int)tids[i + run - 1]);
		else
			for (size_t k = 0; k < run; k++)
				buf_printf(out, "%scommon_pid != %d", k ? " && " : and, (int)tids[i + k]);
	}
	buf_put(out, ")", 2);
}

/*
 * Without this filter the recorder would record the system calls of its recording, and the switch to another file
 * would be followed by the next one.
 */
int plan_leave_out_self(struct sonde_perf_recorder *r)
{
	struct buf text = BUF_MEMORY;
	size_t nr;
	pid_t *tids = own_threads(r, &nr);
	int e = 0;

	if (!tids)
		return err_nomem(&r->err);
	put_filter(&text, tids, nr);
	free(tids);
	e = text.failed;
	for (size_t i = 0; e == 0 && i < r->events.n; i++)
		if (sees_recorder(r, &r->events.at[i]))
			e = add_filter(&r->events, &r->events.at[i], (const char *)text.p);
	for (size_t i = 0; e == 0 && i < r->trigger.events.n; i++)
		if (r->trigger.events.at[i].system)
			e = add_filter(&r->trigger.events, &r->trigger.events.at[i], (const char *)text.p);
	buf_free(&text);
	return e < 0 ? err_nomem(&r->err) : 0;
}
