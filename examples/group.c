/* SPDX-License-Identifier: MIT */
/* group.c - read two events that count at the same moments, with the times by which counts are scaled: group */
#include <sonde/counter.h>

#include <inttypes.h>
#include <stdio.h>

static volatile double sum;

int main(void)
{
	struct sonde_counter *c = sonde_counter_new();

	if (!c || sonde_counter_add_event(c, "{task-clock:u,page-faults:u}") < 0 || sonde_counter_open(c, NULL) < 0) {
		fprintf(stderr, "%s\n", c ? sonde_counter_error(c)->text : "out of memory");
		sonde_counter_free(c);
		return 1;
	}
	sonde_counter_enable(c);
	for (int i = 1; i < 1000000; i++)
		sum = sum + 1.0 / i;
	sonde_counter_disable(c);
	if (sonde_counter_read(c) == 0) {
		for (size_t i = 0; i < sonde_counter_count(c); i++) {
			const struct sonde_counter_value *v = sonde_counter_value(c, i);

			printf("%12" PRIu64 " %s, counted in %" PRIu64 " of %" PRIu64 " ns\n", v->scaled,
			       sonde_counter_event_at(c, i)->name, v->time_running, v->time_enabled);
		}
	}
	sonde_counter_free(c);
	return 0;
}
