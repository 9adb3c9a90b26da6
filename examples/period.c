/* SPDX-License-Identifier: MIT */
/* period.c - count twice with one counter, with another period the second time: period */
#include <sonde/counter.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static volatile sig_atomic_t overflows;

static void on_overflow(int signo)
{
	(void)signo;
	overflows = overflows + 1;
}

static void touch(struct sonde_counter *c, size_t pages)
{
	void *memory = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	overflows = 0;
	sonde_counter_reset(c);
	sonde_counter_enable(c);
	for (size_t i = 0; memory != MAP_FAILED && i < pages; i++)
		((volatile char *)memory)[i * 4096] = 1;
	sonde_counter_disable(c);
	if (sonde_counter_read(c) == 0)
		printf("%" PRIu64 " page faults, %d overflows\n", sonde_counter_value(c, 0)->raw, (int)overflows);
}

int main(void)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .no_inherit = true };
	struct sonde_counter *c = sonde_counter_new();

	signal(SIGUSR1, on_overflow);
	if (!c || sonde_counter_add_event(c, "page-faults/period=1000/u") < 0 || sonde_counter_open(c, &opts) < 0 ||
	    sonde_counter_set_signal(c, 0, SIGUSR1, 0) < 0) {
		fprintf(stderr, "%s\n", c ? sonde_counter_error(c)->text : "out of memory");
		sonde_counter_free(c);
		return 1;
	}
	touch(c, 500);
	sonde_counter_set_period(c, 0, 100);
	touch(c, 500);
	sonde_counter_free(c);
	return 0;
}
