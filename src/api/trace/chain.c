/* SPDX-License-Identifier: MIT */
/* chain.c - the whole call chain of a sample, with its functions */
#include "api/trace/meta.h"
#include "api/trace/symbol.h"
#include "api/trace/tasks.h"
#include "resolve/copied_stack.h"
#include "threads/callchain.h"
#include "unwind/images.h"

/* The chain of a sample as its trace and its tasks have it now. 0 or -SONDE_NOMEM. */
static int find_chain(struct sonde_symbols *symbols, const struct sonde_event *ev, maps_root user, uint32_t most,
		      struct callchain *out)
{
	struct chain_finder *f = &symbols->chains;
	struct sample s;

	*out = (struct callchain){ 0 };
	if (event_sample(ev, &s) == -SONDE_USAGE)
		return 0;
	if (!f->unwinder.images)
		f->unwinder.images = symbols->images = unwind_images_new(symbols->symbols);
	return f->unwinder.images ? chain_of(f, ev, &s, user, most, out) : -SONDE_NOMEM;
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
	roots = tasks_roots(&tasks->tasks, ev->machine_pid, ev->pid);
	if (find_chain(symbols, ev, roots.user, most, &chain) < 0)
		return err_nomem(&symbols->err);
	while (symbols->chain.n < most && callchain_next(&chain, &ip, &mode)) {
		const struct place *place;

		if (symbols->chain.n == symbols->chain.cap && vec_reserve(&symbols->chain, 1) < 0)
			return err_nomem(&symbols->err);
		place = symbols_place(symbols, task_roots_get(&roots, mode, ip), mode, ip, chain.is_caller,
				      &symbols->chain.at[symbols->chain.n]);
		if (!place)
			return err_nomem(&symbols->err);
		symbols->chain.n++;
		if (place->is_handler_entry)
			caller_rule_interrupted(&chain.rule);
	}
	if (chain.bad)
		symbols->chain.n = 0;
	return (int)symbols->chain.n;
}

const struct sonde_frame *sonde_symbols_chain_at(const struct sonde_symbols *symbols, size_t i)
{
	return i < symbols->chain.n ? &symbols->chain.at[i] : NULL;
}
