/* SPDX-License-Identifier: MIT */
#include "analyze/tables/parallelism.h"

#include <linux/perf_event.h>

#define ATTR_CONTEXT_SWITCH SONDE_ATTR_BIT(26)

enum { TRIVIAL_PERCENT = 99 };

void parallelism_want(struct parallelism *p, uint32_t threads)
{
	p->filtered = true;
	if (threads <= PARALLELISM_MAX)
		p->wanted[threads / 64] |= UINT64_C(1) << threads % 64;
}

bool parallelism_is_wanted(const struct parallelism *p, uint32_t threads)
{
	return !p->filtered || (threads <= PARALLELISM_MAX && p->wanted[threads / 64] >> threads % 64 & 1);
}

void parallelism_restart(struct parallelism *p)
{
	p->running = 1;
}

void parallelism_expect(struct parallelism *p, const struct sonde_attr *attr)
{
	p->known |= attr && attr->flags & ATTR_CONTEXT_SWITCH;
}

void parallelism_apply(struct parallelism *p, const struct sonde_event *ev)
{
	if (ev->machine_pid)
		return;
	if (ev->type == PERF_RECORD_SWITCH || ev->type == PERF_RECORD_SWITCH_CPU_WIDE)
		p->running += ev->misc & PERF_RECORD_MISC_SWITCH_OUT ? -1 : 1;
	else if (ev->type == PERF_RECORD_EXIT)       /* the kernel tells no switch of a thread that ends */
		p->running--;
}

uint32_t parallelism_at(struct parallelism *p, const struct sonde_event *sample, uint32_t nr_cpus)
{
	int64_t n = sample->machine_pid ? 1 : p->running;

	if (nr_cpus && n > nr_cpus)
		n = nr_cpus;
	n = n < 1 ? 1 : n > UINT32_MAX ? UINT32_MAX : n;
	p->samples++;
	p->alone += n == 1;
	return (uint32_t)n;
}

bool parallelism_is_trivial(const struct parallelism *p)
{
	return p->samples && p->alone * 100 / p->samples >= TRIVIAL_PERCENT;
}
