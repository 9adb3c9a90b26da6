/* SPDX-License-Identifier: MIT */
#include "record/event/catalog_try.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/event/advice.h"
#include "record/event/kernel_attr.h"
#include "record/host/pmu.h"

const char *catalog_no_hardware(const struct event_roots *roots)
{
	struct arena arena = { 0 };
	struct names cores = { 0 };
	size_t n;

	pmu_cores(&arena, roots->sysfs, &cores);
	n = cores.n;
	vec_free(&cores);
	arena_free(&arena);
	return n ? NULL : "this machine has no hardware counters, as is normal in a virtual machine";
}

static int try_open(uint32_t type, uint64_t config, uint64_t flags)
{
	struct sonde_attr attr = { .type = type, .config = config, .flags = flags | SONDE_ATTR_DISABLED };
	uint8_t bytes[KERNEL_ATTR_BYTES];
	long fd;

	kernel_attr_encode(&attr, bytes);
	fd = syscall(SYS_perf_event_open, bytes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

const char *catalog_try(const struct event_roots *roots, uint32_t type, uint64_t config)
{
	int e = try_open(type, config, 0);
	const char *why;

	if (e == EACCES || e == EPERM)
		e = try_open(type, config, SONDE_ATTR_EXCLUDE_KERNEL | SONDE_ATTR_EXCLUDE_HV);
	switch (e) {
	case 0:
		return NULL;
	case EACCES:
	case EPERM:
		return advice_paranoid();
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
	case EINVAL:
		why = type == PERF_TYPE_SOFTWARE ? "this kernel has no such event" : catalog_no_hardware(roots);
		return why ? why : "the processor has no such counter";
	case ENOSYS:
		return "this kernel was built without performance events";
	default:
		return "the kernel refuses it";
	}
}
