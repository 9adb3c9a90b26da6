/* SPDX-License-Identifier: MIT */
/* breakpoint.c - count the writes to a variable: breakpoint */
#include <sonde/counter.h>

#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>

static volatile uint64_t watched;

int main(void)
{
	struct sonde_attr attr = { .type = PERF_TYPE_BREAKPOINT,
				   .flags = SONDE_ATTR_EXCLUDE_KERNEL | SONDE_ATTR_EXCLUDE_HV,
				   .bp_type = HW_BREAKPOINT_W, .config1 = (uint64_t)(uintptr_t)&watched,
				   .config2 = HW_BREAKPOINT_LEN_8 };
	struct sonde_counter *c = sonde_counter_new();

	if (!c || sonde_counter_add_attr(c, &attr, sizeof(attr), "writes", SONDE_COUNTER_ALONE) < 0 ||
	    sonde_counter_open(c, NULL) < 0) {
		fprintf(stderr, "%s\n", c ? sonde_counter_error(c)->text : "out of memory");
		sonde_counter_free(c);
		return 1;
	}
	sonde_counter_enable(c);
	for (int i = 0; i < 42; i++)
		watched = watched + 1;
	sonde_counter_disable(c);
	if (sonde_counter_read(c) == 0)
		printf("%" PRIu64 " %s\n", sonde_counter_value(c, 0)->raw, sonde_counter_event_at(c, 0)->name);
	sonde_counter_free(c);
	return 0;
}
