/* SPDX-License-Identifier: MIT */
/* arrivals.h - rings of events that are not recorded: they tell only that an event has come */
#ifndef RECORD_PERF_ARRIVALS_H
#define RECORD_PERF_ARRIVALS_H

#include "base/err.h"
#include "record/perf/ring.h"

struct arrivals {
	struct ring *rings;          /* each of one page */
	size_t nr;
	int epoll_fd;                /* readable when something has come; -1: nothing is waited for */
};

#define ARRIVALS_NONE ((struct arrivals){ .epoll_fd = -1 })

int arrivals_open(struct arrivals *a, size_t nr_rings, struct sonde_error *err);

/* The first event of ring @i owns it, and the others write to it, too. @fd is borrowed. */
int arrivals_add(struct arrivals *a, size_t i, int fd, struct sonde_error *err);

/* Has something come since the last call? */
bool arrivals_any(struct arrivals *a);

void arrivals_close(struct arrivals *a);

#endif
