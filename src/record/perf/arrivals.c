/* SPDX-License-Identifier: MIT */
#include "record/perf/arrivals.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "record/event/advice.h"

int arrivals_open(struct arrivals *a, size_t nr_rings, struct sonde_error *err)
{
	a->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (a->epoll_fd < 0)
		return err_sys(err, errno, "cannot make an epoll instance");
	a->rings = calloc(nr_rings, sizeof(*a->rings));
	if (!a->rings)
		return err_nomem(err);
	a->nr = nr_rings;
	return 0;
}

int arrivals_add(struct arrivals *a, size_t i, int fd, struct sonde_error *err)
{
	struct epoll_event wanted = { .events = EPOLLIN, .data.fd = fd };
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct ring *ring = &a->rings[i];
	int e = ring->map ? 0 : ring_map(ring, fd, bytes, false);

	if (e < 0)
		return advice_map(err, -e, bytes);
	if ((fd != ring->fd && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0) ||
	    epoll_ctl(a->epoll_fd, EPOLL_CTL_ADD, fd, &wanted) < 0)
		return err_sys(err, errno, "cannot wait for an event that is not recorded");
	return 0;
}

/* Events of tasks that have ended are ready for ever: nobody waits for them any more. */
static void leave_ended(struct arrivals *a)
{
	struct epoll_event ready[16];
	int n = epoll_wait(a->epoll_fd, ready, 16, 0);

	for (int i = 0; i < n; i++)
		if (ready[i].events & (EPOLLHUP | EPOLLERR))
			epoll_ctl(a->epoll_fd, EPOLL_CTL_DEL, ready[i].data.fd, NULL);
}

bool arrivals_any(struct arrivals *a)
{
	bool any = false;

	if (a->epoll_fd < 0)
		return false;
	leave_ended(a);
	for (size_t i = 0; i < a->nr; i++)
		any |= a->rings[i].map && ring_skip(&a->rings[i]);
	return any;
}

void arrivals_close(struct arrivals *a)
{
	for (size_t i = 0; i < a->nr; i++)
		ring_unmap(&a->rings[i]);
	free(a->rings);
	if (a->epoll_fd >= 0)
		close(a->epoll_fd);
	*a = ARRIVALS_NONE;
}
