/* SPDX-License-Identifier: MIT */
/* instructions.c - count the instructions of a printf(3), as the example of perf_event_open(2) does: instructions */
#include <sonde/counter.h>

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .best_effort = true };
	struct sonde_counter *c = sonde_counter_new();
	size_t i = 0;

	if (!c || sonde_counter_add_event(c, "instructions:u,task-clock:u") < 0 || sonde_counter_open(c, &opts) < 0) {
		fprintf(stderr, "%s\n", c ? sonde_counter_error(c)->text : "out of memory");
		sonde_counter_free(c);
		return 1;
	}
	sonde_counter_enable(c);
	printf("Counting what this printf takes\n");
	sonde_counter_disable(c);
	if (sonde_counter_event_at(c, 0)->refusal)
		i = 1;               /* no hardware counters here: its time instead */
	if (sonde_counter_read(c) == 0)
		printf("%" PRIu64 " %s\n", sonde_counter_value(c, i)->raw, i ? "ns" : "instructions");
	sonde_counter_free(c);
	return 0;
}
