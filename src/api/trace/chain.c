/* SPDX-License-Identifier: MIT */
/* chain.c - the whole call chain of a sample, with its functions */
#include <linux/perf_event.h>

#include "resolve/copied_stack.h"
#include "api/trace/meta.h"
#include "api/trace/symbol.h"
#include "api/trace/tasks.h"
#include "threads/callchain.h"
#include "unwind/images.h"

/* The callchain as recorded, or what a copy of the stack or branches of calls show. 0 or -SONDE_NOMEM. */
static int chain_of(struct sonde_symbols *symbols, const struct sonde_tasks *tasks, const struct sonde_event *ev,
		    uint32_t most, struct callchain *out)
{
	struct unwinder *u = &symbols->unwinder;
	struct sample s;

	*out = (struct callchain){ .cpumode = ev->cpumode };
	if (event_sample(ev, &s) == -SONDE_USAGE)
		return 0;
	out->ips = s.callchain;
	if (!(s.present & PERF_SAMPLE_STACK_USER && s.user_regs.abi) && !s.branches.is_call_stack)
		return 0;
	if (!u->images)
		u->images = symbols->images = unwind_images_new(symbols->symbols);
	if (!u->images ||
	    unwind_sample(u, &s, trace_meta(tasks->trace)->arch, ev->cpumode == CPUMODE_KERNEL,
			  tasks_maps(&tasks->tasks, ev->machine_pid, ev->pid), most, &out->ips) == -SONDE_NOMEM)
		return -SONDE_NOMEM;
	out->rule.unwound = u->ips.n > 0;
	return 0;
}

int sonde_symbols_chain_of(struct sonde_symbols *symbols, const struct sonde_tasks *tasks, const struct sonde_event *ev,
			   uint32_t max_stack)
{
	uint32_t most = max_stack ? max_stack : USUAL_STACK_LIMIT;
	int r = symbols_advance(symbols, tasks, ev);
	struct task_roots roots;
	struct callchain chain;
	uint64_t ip;
	uint8_t mode;

	symbols->chain.n = 0;
	if (r < 0)
		return r;
	if (chain_of(symbols, tasks, ev, most, &chain) < 0)
		return err_nomem(&symbols->err);
	roots = tasks_roots(&tasks->tasks, ev->machine_pid, ev->pid);
	while (symbols->chain.n < most && callchain_next(&chain, &ip, &mode)) {
		const struct cached *place = symbols_place(symbols, task_roots_get(&roots, mode, ip), ip,
							   chain.is_caller);

		if (place->is_handler_entry)
			caller_rule_interrupted(&chain.rule);
		if (vec_push(&symbols->chain, place->frame) < 0)
			return err_nomem(&symbols->err);
	}
	if (chain.bad)
		symbols->chain.n = 0;
	return (int)symbols->chain.n;
}

const struct sonde_frame *sonde_symbols_chain_at(const struct sonde_symbols *symbols, size_t i)
{
	return i < symbols->chain.n ? &symbols->chain.at[i] : NULL;
}
