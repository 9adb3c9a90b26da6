/* SPDX-License-Identifier: MIT */
/* stack_sizes.c - how many copies of stacks are too short in a recording, and the size that would have been enough */
#include <sonde/symbol.h>

#include <linux/perf_event.h>

#include "api/trace/event.h"
#include "api/trace/meta.h"
#include "api/trace/symbol.h"
#include "api/trace/trace.h"
#include "resolve/copied_stack.h"
#include "resolve/moment.h"
#include "unwind/stack_sizes.h"
#include "unwind/walk.h"

/* More frames than any of these copies has. */
enum { FRAMES_MOST = 2048 };

/* Sizes are told in steps. */
enum { STEP = 512 };

#define WANTED_SHARE 0.97

struct size_search {
	struct sonde_trace *trace;
	struct symbols *symbols;
	struct moment moment;
	struct unwinder unwinder;
	struct stack_sizes sizes;
	struct sonde_stack_sizes *out;
};

static int take_stack(struct size_search *l, const struct sonde_event *ev)
{
	maps_root maps = moment_task_of(&l->moment, ev)->roots.user;
	struct measured_stack stack = { .tid = ev->tid };
	struct sample s;
	int r;

	event_sample(ev, &s);
	r = unwind_walk(&l->unwinder, &s, sonde_trace_meta(l->trace)->arch, ev->cpumode == CPUMODE_KERNEL, maps,
			FRAMES_MOST);
	if (r == -SONDE_MISSING)
		return 0;
	if (r < 0)
		return r;
	if (l->unwinder.end != UNWIND_COMPLETE && l->unwinder.end != UNWIND_CUT)
		return 0;
	stack.complete = l->unwinder.end == UNWIND_COMPLETE;
	stack.at = l->unwinder.at;
	stack.bytes = l->unwinder.bytes;
	l->out->stacks++;
	l->out->cut += !stack.complete;
	return stack_sizes_add(&l->sizes, &stack);
}

static int take_event(struct size_search *l, const struct sonde_event *ev)
{
	if (ev->kind == SONDE_KIND_SAMPLE)
		return ev->evsel && copied_stack_expected(ev->evsel) ? take_stack(l, ev) : 0;
	return moment_apply(&l->moment, ev, trace_meta(l->trace));
}

static int walk(struct size_search *l, uint64_t most)
{
	const struct sonde_query query = { .sz = sizeof(query), .order = SONDE_ORDER_TIME };
	struct sonde_iter *it = sonde_iter_new(l->trace, &query);
	const struct sonde_event *ev;
	int r = it ? 0 : err_nomem(&l->trace->err);

	while (r == 0 && l->out->stacks < most && (r = sonde_iter_next(it, &ev)) > 0)
		if ((r = take_event(l, ev)) < 0)
			err_nomem(&l->trace->err);
	sonde_iter_free(it);
	return r;
}

int sonde_trace_stack_sizes(struct sonde_trace *t, uint64_t most, const struct sonde_stack_sizes **out)
{
	struct size_search l = { .trace = t, .out = &t->stack_sizes };
	struct stack_size enough;
	int r = 0;

	err_clear(&t->err);
	t->stack_sizes = (struct sonde_stack_sizes){ 0 };
	*out = &t->stack_sizes;
	for (size_t i = 0; i < sonde_trace_evsel_count(t); i++)
		if (copied_stack_expected(sonde_trace_evsel_at(t, i)) &&
		    sonde_trace_evsel_at(t, i)->attr->sample_stack_user > l.out->copied)
			l.out->copied = sonde_trace_evsel_at(t, i)->attr->sample_stack_user;
	if (!l.out->copied)
		return 0;
	l.symbols = symbols_from_opts(NULL);
	l.unwinder.images = l.symbols ? unwind_images_new(l.symbols) : NULL;
	if (!l.unwinder.images || symbols_carry(l.symbols, trace_meta(t), t->path) < 0 ||
	    moment_init(&l.moment, NULL) < 0)
		r = err_nomem(&t->err);
	if (r == 0)
		r = walk(&l, most);
	enough = stack_sizes_enough(&l.sizes, WANTED_SHARE, STEP, SONDE_STACK_BYTES_MOST);
	if (enough.bytes > l.out->copied) {
		l.out->enough = (uint32_t)enough.bytes;
		l.out->whole_with_enough = enough.whole;
	}
	stack_sizes_free(&l.sizes);
	moment_free(&l.moment);
	unwind_images_free(l.unwinder.images);
	unwinder_free(&l.unwinder);
	symbols_free(l.symbols);
	return r;
}
