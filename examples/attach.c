/* SPDX-License-Identifier: MIT */
/* attach.c - count a process that runs already, for a second: attach PID */
#include <sonde/counter.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const int32_t pid = (int32_t)strtol(argc > 1 ? argv[1] : "0", NULL, 10);
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .pids = &pid, .nr_pids = 1 };
	struct sonde_counter *c = sonde_counter_new();

	if (!c || sonde_counter_add_event(c, "task-clock,context-switches") < 0 || sonde_counter_open(c, &opts) < 0) {
		fprintf(stderr, "%s\n", c ? sonde_counter_error(c)->text : "out of memory");
		sonde_counter_free(c);
		return 1;
	}
	sonde_counter_enable(c);
	sleep(1);
	sonde_counter_disable(c);
	if (sonde_counter_read(c) == 0)
		for (size_t i = 0; i < sonde_counter_count(c); i++)
			printf("%12" PRIu64 " %s\n", sonde_counter_value(c, i)->scaled,
			       sonde_counter_event_at(c, i)->name);
	sonde_counter_free(c);
	return 0;
}
