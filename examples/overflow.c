/* SPDX-License-Identifier: MIT */
/* overflow.c - a signal after every 100 page faults, three times: overflow */
#include <sonde/counter.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t overflows;

static void on_overflow(int signo)
{
	(void)signo;
	overflows = overflows + 1;
}

int main(void)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .no_inherit = true };
	struct sonde_counter *c = sonde_counter_new();
	size_t n = 16 << 20;
	volatile char *memory;

	signal(SIGUSR1, on_overflow);
	if (!c || sonde_counter_add_event(c, "page-faults/period=100/u") < 0 || sonde_counter_open(c, &opts) < 0 ||
	    sonde_counter_set_signal(c, 0, SIGUSR1, 0) < 0 || sonde_counter_refresh(c, 0, 3) < 0) {
		fprintf(stderr, "%s\n", c ? sonde_counter_error(c)->text : "out of memory");
		sonde_counter_free(c);
		return 1;
	}
	memory = (volatile char *)malloc(n);
	if (memory)
		for (size_t i = 0; i < n; i += 4096)
			memory[i] = 1;
	free((void *)memory);
	printf("%d overflows\n", (int)overflows);
	sonde_counter_free(c);
	return 0;
}
