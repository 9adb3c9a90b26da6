/* SPDX-License-Identifier: MIT */
#include "resolve/chain.h"

#include <linux/perf_event.h>

#include "model/context_markers.h"
#include "model/reader.h"
#include "tracefmt/tracefmt.h"

void chain_finder_free(struct chain_finder *f)
{
	unwinder_free(&f->unwinder);
	vec_free(&f->words);
}

/* Appends a part of a chain, with the addresses of another boot where they are in this one. 0 or -SONDE_NOMEM. */
static int add_part(struct chain_finder *f, const struct u64s *part, const struct tracefmt_boot *boot)
{
	if (vec_reserve(&f->words, part->nr + 1) < 0)
		return -SONDE_NOMEM;
	for (uint64_t i = 0; i < part->nr; i++) {
		uint64_t ip = u64s_at(part, i);

		if (boot && !tracefmt_boot_address(f->kernel, boot, &ip))
			ip = 0;
		f->words.at[f->words.n++] = ip;
	}
	return 0;
}

/*
 * A buffer that has outlived a boot has addresses of the kernel before; a trace.dat has the user part of a stack in an
 * event of its own. 0 or -SONDE_NOMEM.
 */
static int complete(struct chain_finder *f, const struct sonde_event *ev, struct u64s *chain)
{
	const struct reader *r = event_of(ev)->reader;
	struct u64s user = r->ops->user_callchain ? r->ops->user_callchain(r, ev) : (struct u64s){ 0 };
	bool boots = f->kernel && ev->evsel && tracefmt_has_boots(f->kernel);
	const struct tracefmt_boot *boot = boots ? tracefmt_boot(f->kernel, ev->evsel->buffer) : NULL;

	if (!user.nr && (!boot || !chain->nr))
		return 0;
	f->words.n = 0;
	if (add_part(f, chain, boot) < 0)
		return -SONDE_NOMEM;
	if (user.nr)
		f->words.at[f->words.n++] = CONTEXT_USER;
	if (add_part(f, &user, NULL) < 0)
		return -SONDE_NOMEM;
	*chain = (struct u64s){ .p = (const uint8_t *)f->words.at, .nr = f->words.n };
	return 0;
}

int chain_recorded(struct chain_finder *f, const struct sonde_event *ev, struct u64s *out)
{
	const struct loaded_event *e = event_of(ev);

	*out = e->deferred_callchain.nr ? e->deferred_callchain : e->reader->ops->callchain(e->reader, ev);
	return complete(f, ev, out);
}

/* Both of a decoded sample. 0 or -SONDE_NOMEM. */
static int copy_of(struct chain_finder *f, const struct sonde_event *ev, const struct sample *s,
		   struct copied_stack *copied, bool *has_copied)
{
	const struct meta *meta = &event_of(ev)->reader->meta;

	*has_copied = copied_stack_of(s, ev->cpumode, meta->arch, copied);
	if (!copied->branches.nr || !f->call_stacks)
		return 0;
	return call_stacks_stitch(f->call_stacks, meta, ev->machine_pid, s, &copied->branches);
}

int chain_copied(struct chain_finder *f, const struct sonde_event *ev, struct u64s *recorded,
		 struct copied_stack *copied, bool *has_copied)
{
	struct sample s;

	event_sample(ev, &s);
	*recorded = s.callchain;
	return copy_of(f, ev, &s, copied, has_copied);
}

int chain_unwind(struct chain_finder *f, const struct copied_stack *copied, const struct u64s *recorded, maps_root user,
		 uint32_t most, struct u64s *out)
{
	const struct sample s = { .ip = copied->ip,
				  .callchain = *recorded,
				  .user_regs = copied->regs,
				  .user_stack = copied->bytes,
				  .branches = copied->branches };

	return unwind_sample(&f->unwinder, &s, copied->arch, copied->in_kernel, user, most, out);
}

int chain_of(struct chain_finder *f, const struct sonde_event *ev, const struct sample *s, maps_root user,
	     uint32_t most, struct callchain *out)
{
	struct copied_stack copied;
	bool has_copied;

	*out = (struct callchain){ .ips = s->callchain, .cpumode = ev->cpumode };
	if (complete(f, ev, &out->ips) < 0)
		return -SONDE_NOMEM;
	if (!(s->present & PERF_SAMPLE_STACK_USER) && !s->branches.is_call_stack)
		return 0;
	if (copy_of(f, ev, s, &copied, &has_copied) < 0)
		return -SONDE_NOMEM;
	if (!has_copied)
		return 0;
	if (chain_unwind(f, &copied, &s->callchain, user, most, &out->ips) < 0)
		return -SONDE_NOMEM;
	out->rule.unwound = f->unwinder.ips.n > 0;
	return 0;
}

bool chain_first(const struct u64s *chain, uint8_t *cpumode, uint64_t *ip)
{
	struct callchain c = { .ips = *chain, .cpumode = *cpumode };

	return callchain_next(&c, ip, cpumode);
}
