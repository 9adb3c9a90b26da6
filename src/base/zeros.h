/* SPDX-License-Identifier: MIT */
/* zeros.h - tables of zeros that are looked into before they are written. */
#ifndef BASE_ZEROS_H
#define BASE_ZEROS_H

#include <stdlib.h>

/* No page is larger on the hosts where this matters; where pages are, some are written more than once. */
#define ZEROS_PAGE_BYTES 4096

/*
 * As calloc(). A page that is read first is a page of the kernel's zeros, and is exchanged for one of its own when it
 * is written: two faults instead of one, and at the second every CPU that runs another thread of the process is
 * interrupted. So each is written here.
 */
static inline void *zeros_alloc(size_t n, size_t size)
{
	volatile char *p = calloc(n, size);

	for (size_t at = 0; p && at < n * size; at += ZEROS_PAGE_BYTES)
		p[at] = 0;
	return (void *)p;
}

#endif
