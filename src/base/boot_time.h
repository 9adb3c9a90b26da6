/* SPDX-License-Identifier: MIT */
/* boot_time.h - when the running kernel started */
#ifndef BASE_BOOT_TIME_H
#define BASE_BOOT_TIME_H

#include <stdint.h>
#include <time.h>

/* Seconds since 1970; -1: not known. */
static inline int64_t boot_time_s(void)
{
	struct timespec now, up;

	if (clock_gettime(CLOCK_REALTIME, &now) < 0 || clock_gettime(CLOCK_BOOTTIME, &up) < 0)
		return -1;
	return (int64_t)now.tv_sec - (int64_t)up.tv_sec;
}

#endif
