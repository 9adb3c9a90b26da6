/* SPDX-License-Identifier: MIT */
/* filter.c - count the calls of one system call of this program, by a filter in the kernel: filter */
#include <sonde/counter.h>

#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct sonde_counter *c = sonde_counter_new();
	char text[32];

	snprintf(text, sizeof(text), "id == %d", SYS_getppid);
	if (!c || sonde_counter_add_event(c, "raw_syscalls:sys_enter") < 0 || sonde_counter_add_filter(c, text) < 0 ||
	    sonde_counter_open(c, NULL) < 0) {
		fprintf(stderr, "%s\n", c ? sonde_counter_error(c)->text : "out of memory");
		sonde_counter_free(c);
		return 1;
	}
	sonde_counter_enable(c);
	for (int i = 0; i < 10; i++) {
		syscall(SYS_getppid);
		syscall(SYS_getuid);
	}
	sonde_counter_disable(c);
	if (sonde_counter_read(c) == 0)
		printf("%" PRIu64 " calls of getppid\n", sonde_counter_value(c, 0)->raw);
	sonde_counter_free(c);
	return 0;
}
