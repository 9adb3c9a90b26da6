/* SPDX-License-Identifier: MIT */
#include "record/perf/bpf_loads.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/host/sysfile.h"

static int open_on_cpu(int32_t cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.exclude_kernel = 1,
		.bpf_event = 1,
		.watermark = 1,
		.wakeup_watermark = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool watch_cpu(struct bpf_loads *l, size_t i, int32_t cpu)
{
	struct sonde_error ignored = { .sz = sizeof(ignored) };
	int fd = open_on_cpu(cpu);

	if (fd < 0)
		return false;
	if (vec_push(&l->fds, fd) < 0) {
		close(fd);
		return false;
	}
	return arrivals_add(&l->arrivals, i, fd, &ignored) == 0;
}

void bpf_loads_open(struct bpf_loads *l, const char *sysfs)
{
	struct sonde_error ignored = { .sz = sizeof(ignored) };
	struct cpus cpus = { 0 };
	bool ok = cpus_online(&cpus, sysfs) == 0 && arrivals_open(&l->arrivals, cpus.n, &ignored) == 0;

	for (size_t i = 0; ok && i < cpus.n; i++)
		ok = watch_cpu(l, i, cpus.at[i]);
	vec_free(&cpus);
	if (!ok)
		bpf_loads_close(l);
}

void bpf_loads_close(struct bpf_loads *l)
{
	arrivals_close(&l->arrivals);
	for (size_t i = 0; i < l->fds.n; i++)
		close(l->fds.at[i]);
	vec_free(&l->fds);
}
