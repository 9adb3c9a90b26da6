/* SPDX-License-Identifier: MIT */
/* breakpoint_test.h - what a test of breakpoints may expect of the machine: some virtual ones take them and count 0 */
#ifndef RECORD_BREAKPOINT_TEST_H
#define RECORD_BREAKPOINT_TEST_H

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* false: the kernel takes a breakpoint for writes, without sonde, and does not count those that it should */
static bool breakpoints_work_here(void)
{
	static volatile uint64_t watched;
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .bp_type = HW_BREAKPOINT_W,
					.bp_addr = (uintptr_t)&watched, .bp_len = HW_BREAKPOINT_LEN_8,
					.exclude_kernel = 1, .exclude_hv = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	uint64_t count = 0;
	bool works;

	if (fd < 0)
		return true; /* sonde has a message for that */
	for (int i = 0; i < 7; i++)
		watched++;
	works = read(fd, &count, sizeof(count)) == (ssize_t)sizeof(count) && count == 7;
	close(fd);
	return works;
}

#endif
