/* SPDX-License-Identifier: MIT */
/* cgroup_counts.c - count the tasks of a control group for a second: cgroup_counts GROUP */
#include <sonde/counter.h>

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .all_cpus = true };
	struct sonde_counter *c = sonde_counter_new();

	if (!c || sonde_counter_add_event(c, "cpu-clock") < 0 ||
	    sonde_counter_set_cgroup(c, 0, argc > 1 ? argv[1] : "/") < 0 || sonde_counter_open(c, &opts) < 0) {
		fprintf(stderr, "%s\n", c ? sonde_counter_error(c)->text : "out of memory");
		sonde_counter_free(c);
		return 1;
	}
	sonde_counter_enable(c);
	sleep(1);
	sonde_counter_disable(c);
	if (sonde_counter_read(c) == 0)
		printf("%" PRIu64 " ns\n", sonde_counter_value(c, 0)->scaled);
	sonde_counter_free(c);
	return 0;
}
