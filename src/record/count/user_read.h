/* SPDX-License-Identifier: MIT */
/* user_read.h - a counter of the calling thread, read by the page that the kernel shares for it. */
#ifndef RECORD_COUNT_USER_READ_H
#define RECORD_COUNT_USER_READ_H

#include <sonde/types.h>

/* The instructions that read a hardware counter and the clock; tests have their own. */
struct user_instructions {
	uint64_t (*counter)(uint32_t index);
	uint64_t (*clock)(void);
};

/* The instructions of this processor; a member is NULL where it has none. */
extern const struct user_instructions processor_instructions;

struct user_reading {
	uint64_t value, time_enabled, time_running;
};

/* false: the kernel has to be asked, because the event is on no hardware counter or user space may not read it. */
bool user_read(const volatile void *page, const struct user_instructions *by, struct user_reading *out);

#endif
