/* SPDX-License-Identifier: MIT */
#include "record/count/system_calls.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/event/kernel_attr.h"

static int call_open(const struct sonde_attr *attr, int32_t tid, int32_t cpu, int group, unsigned long flags)
{
	uint8_t bytes[KERNEL_ATTR_BYTES];
	long fd;

	kernel_attr_encode(attr, bytes);
	fd = syscall(SYS_perf_event_open, bytes, tid, cpu, group, flags);
	return fd < 0 ? -errno : (int)fd;
}

static int call_control(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

static ssize_t call_read(int fd, void *to, size_t n)
{
	ssize_t r;

	do
		r = read(fd, to, n);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

static void *call_map(int fd, size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

const struct system_calls kernel_calls = {
	.open = call_open, .control = call_control, .read = call_read, .map = call_map,
};
