/* SPDX-License-Identifier: MIT */
/* read_self.c - read a counter of this thread again and again, without a system call where possible: read_self */
#include <sonde/counter.h>

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .no_inherit = true, .best_effort = true,
					   .user_reads = true };
	struct sonde_counter_reading before = { .sz = sizeof(before) }, after = { .sz = sizeof(after) };
	struct sonde_counter *c = sonde_counter_new();
	size_t i = 0;

	if (!c || sonde_counter_add_event(c, "instructions:u,task-clock:u") < 0 || sonde_counter_open(c, &opts) < 0) {
		fprintf(stderr, "%s\n", c ? sonde_counter_error(c)->text : "out of memory");
		sonde_counter_free(c);
		return 1;
	}
	if (sonde_counter_event_at(c, 0)->refusal)
		i = 1;               /* no hardware counters here */
	sonde_counter_enable(c);
	if (sonde_counter_read_self(c, i, &before) == 0 && sonde_counter_read_self(c, i, &after) == 0)
		printf("%" PRIu64 " %s between two reads, %s\n", after.value - before.value, i ? "ns" : "instructions",
		       after.by_page ? "by the mapped page" : "by read(2)");
	sonde_counter_free(c);
	return 0;
}
