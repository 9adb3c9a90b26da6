/* SPDX-License-Identifier: MIT */
/* task_pause.c - pause all counters of this thread around work that is not to be counted: task_pause */
#include <sonde/counter.h>

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

static void touch(size_t pages)
{
	void *memory = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; memory != MAP_FAILED && i < pages; i++)
		((volatile char *)memory)[i * 4096] = 1;
}

int main(void)
{
	struct sonde_counter *c = sonde_counter_new();

	if (!c || sonde_counter_add_event(c, "page-faults:u") < 0 || sonde_counter_open(c, NULL) < 0) {
		fprintf(stderr, "%s\n", c ? sonde_counter_error(c)->text : "out of memory");
		sonde_counter_free(c);
		return 1;
	}
	sonde_counter_enable(c);
	touch(10);
	sonde_counter_task_disable();
	touch(1000);
	sonde_counter_task_enable();
	touch(10);
	sonde_counter_disable(c);
	if (sonde_counter_read(c) == 0)
		printf("%" PRIu64 " page faults\n", sonde_counter_value(c, 0)->raw);
	sonde_counter_free(c);
	return 0;
}
