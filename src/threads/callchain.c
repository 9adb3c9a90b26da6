/* SPDX-License-Identifier: MIT */
/* callchain.c - along a callchain: PERF_CONTEXT_* markers say in which mode the addresses after them are. */
#include "threads/callchain.h"

#include "model/context_markers.h"

/* The mode after a marker; 0 for one that is not known. */
static uint8_t mode_behind(uint64_t marker)
{
	switch (marker) {
	case CONTEXT_HV:
		return CPUMODE_HYPERVISOR;
	case CONTEXT_KERNEL:
		return CPUMODE_KERNEL;
	case CONTEXT_USER:
	case CONTEXT_USER_DEFERRED:
		return CPUMODE_USER;
	case CONTEXT_GUEST:
	case CONTEXT_GUEST_KERNEL:
		return CPUMODE_GUEST_KERNEL;
	case CONTEXT_GUEST_USER:
		return CPUMODE_GUEST_USER;
	}
	return 0;
}

bool callchain_next(struct callchain *c, uint64_t *ip, uint8_t *cpumode)
{
	uint64_t v;

	while (c->next < c->ips.nr && !c->bad) {
		v = u64s_at(&c->ips, c->next++);
		if (v < CONTEXT_MAX) {
			*ip = v;
			*cpumode = c->cpumode;
			c->is_caller = caller_rule_next(&c->rule, c->cpumode);
			return true;
		}
		caller_rule_interrupted(&c->rule);
		c->cpumode = mode_behind(v);
		c->bad = c->cpumode == 0;
		if (v == CONTEXT_USER_DEFERRED)
			c->next++;  /* the cookie of the record that brings the user part later */
	}
	return false;
}
