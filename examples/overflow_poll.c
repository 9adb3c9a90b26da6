/* SPDX-License-Identifier: MIT */
/* overflow_poll.c - wait for an overflow of a counter, after 100 page faults: overflow_poll */
#include <sonde/counter.h>

#include <stdio.h>
#include <sys/mman.h>

static void *touch(void *memory)
{
	for (size_t i = 0; i < 1000; i++)
		((volatile char *)memory)[i * 4096] = 1;
	return NULL;
}

int main(void)
{
	void *memory = mmap(NULL, 1000 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .no_inherit = true, .rings = true };
	struct sonde_counter *c = sonde_counter_new();
	int r;

	if (!c || sonde_counter_add_event(c, "page-faults/period=100/u") < 0 || sonde_counter_open(c, &opts) < 0) {
		fprintf(stderr, "%s\n", c ? sonde_counter_error(c)->text : "out of memory");
		sonde_counter_free(c);
		return 1;
	}
	sonde_counter_enable(c);
	touch(memory);
	r = sonde_counter_wait(c, 0, 10000);
	puts(r > 0 ? "100 page faults" : "no overflow");
	sonde_counter_free(c);
	return r <= 0;
}
