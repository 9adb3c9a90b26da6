/* SPDX-License-Identifier: MIT */
/* callchain.c - along a callchain: PERF_CONTEXT_* markers say in which mode the addresses after them are. */
#include "threads/callchain.h"

/* Values from here on are markers, not addresses (PERF_CONTEXT_MAX). */
#define CONTEXT_MAX ((uint64_t)-4095)

#define CONTEXT_HV ((uint64_t)-32)
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER ((uint64_t)-512)
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define CONTEXT_GUEST ((uint64_t)-2048)
#define CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define CONTEXT_GUEST_USER ((uint64_t)-2560)

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
