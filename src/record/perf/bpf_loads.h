/* SPDX-License-Identifier: MIT */
/*
 * bpf_loads.h - tells at once that a BPF program was loaded, since it may soon be unloaded
 *
 * The records of the side band tell it, too, but they lie in rings that wake the recorder seldom.
 */
#ifndef RECORD_PERF_BPF_LOADS_H
#define RECORD_PERF_BPF_LOADS_H

#include "base/vec.h"
#include "record/perf/arrivals.h"

struct bpf_loads {
	struct arrivals arrivals;    /* of all CPUs: programs are loaded anywhere */
	VEC(int) fds;
};

#define BPF_LOADS_NONE ((struct bpf_loads){ .arrivals = ARRIVALS_NONE })

/* Without permission, and on a kernel that does not tell, none is ever seen. */
void bpf_loads_open(struct bpf_loads *l, const char *sysfs);

void bpf_loads_close(struct bpf_loads *l);

#endif
