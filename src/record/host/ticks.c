/* SPDX-License-Identifier: MIT */
#include "record/host/ticks.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

bool host_ticks(uint32_t *mult, uint32_t *shift)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1, .exclude_hv = 1 };
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	const struct perf_event_mmap_page *page;

	if (fd < 0)
		return false;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		return false;
	*mult = page->cap_user_time ? page->time_mult : 0;
	*shift = page->time_shift;
	munmap((void *)page, size);
	return *mult;
}
