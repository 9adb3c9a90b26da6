/* SPDX-License-Identifier: MIT */
#include "record/count/overflow.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

static int check_samples(struct sonde_counter *c, size_t event)
{
	if (!c->events.at[event].attr.sample_period)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE,
			       "%.80s has no overflows: its attr needs a sample_period (`period=N` in a string)",
			       c->events.at[event].name);
	return 0;
}

int overflow_set_signal(struct sonde_counter *c, size_t event, int signo, int32_t tid)
{
	struct counted *e = &c->counted.at[event];
	struct f_owner_ex owner = { F_OWNER_TID, tid ? tid : (pid_t)syscall(SYS_gettid) };
	int r = check_samples(c, event);

	for (size_t k = 0; r == 0 && k < e->nr_cells; k++) {
		int fd = e->cells[k].value.fd, flags;

		if (fd < 0)
			continue;
		flags = fcntl(fd, F_GETFL);
		if (flags < 0 || fcntl(fd, F_SETSIG, signo) < 0 || fcntl(fd, F_SETOWN_EX, &owner) < 0 ||
		    fcntl(fd, F_SETFL, flags | O_ASYNC) < 0)
			r = err_sys(&c->err, errno, "cannot get signal %d at overflows of %.80s", signo, e->event.name);
	}
	return r;
}

/* Nobody reads the records: their ring is emptied, so that the next one wakes up again. */
static void empty_ring(void *map)
{
	struct perf_event_mmap_page *p = map;

	__atomic_store_n(&p->data_tail, __atomic_load_n(&p->data_head, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
}

static int poll_cells(struct sonde_counter *c, struct counted *e, struct pollfd *fds, int timeout_ms)
{
	size_t ended = 0, n = 0;
	int r = 0;

	for (size_t k = 0; k < e->nr_cells; k++)
		if (e->cells[k].map)
			fds[n++] = (struct pollfd){ .fd = e->cells[k].value.fd, .events = POLLIN };
	if (n > 0 && poll(fds, n, timeout_ms) < 0 && errno != EINTR)
		return err_sys(&c->err, errno, "cannot wait for overflows of %.80s", e->event.name);
	for (size_t i = 0, k = 0; k < e->nr_cells; k++) {
		if (!e->cells[k].map)
			continue;
		if (fds[i].revents & POLLIN) {
			empty_ring(e->cells[k].map);
			r = 1;
		} else if (fds[i].revents & POLLHUP) {
			ended++;
		}
		i++;
	}
	if (r == 0 && ended == n)
		return err_set(&c->err, SONDE_MISSING, SONDE_NONE, "the tasks of %.80s have ended", e->event.name);
	return r;
}

int overflow_wait(struct sonde_counter *c, size_t event, int timeout_ms)
{
	struct counted *e = &c->counted.at[event];
	struct pollfd *fds;
	int r = check_samples(c, event);

	if (r < 0)
		return r;
	if (!c->opts.rings)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "waiting for overflows needs the option rings");
	fds = calloc(e->nr_cells, sizeof(*fds));
	if (!fds)
		return err_nomem(&c->err);
	r = poll_cells(c, e, fds, timeout_ms);
	free(fds);
	return r;
}

int overflow_refresh(struct sonde_counter *c, size_t event, int overflows)
{
	struct counted *e = &c->counted.at[event];
	int r = check_samples(c, event);

	if (r == 0 && c->events.at[event].attr.flags & SONDE_ATTR_INHERIT)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE,
			       "an event that tasks inherit cannot be refreshed: use the option no_inherit");
	if (r == 0 && overflows <= 0)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "the number of overflows is 1 or more, not %d",
			       overflows);
	for (size_t k = 0; r == 0 && k < e->nr_cells; k++) {
		int fd = e->cells[k].value.fd;
		int s = fd < 0 ? 0 : c->calls->control(fd, PERF_EVENT_IOC_REFRESH, (void *)(intptr_t)overflows);

		if (s < 0)
			r = err_sys(&c->err, -s, "cannot refresh %.80s", e->event.name);
	}
	return r;
}

int overflow_set_period(struct sonde_counter *c, size_t event, uint64_t period)
{
	struct counted *e = &c->counted.at[event];
	int r = check_samples(c, event);

	for (size_t k = 0; r == 0 && k < e->nr_cells; k++) {
		int fd = e->cells[k].value.fd;
		int s = fd < 0 ? 0 : c->calls->control(fd, PERF_EVENT_IOC_PERIOD, &period);

		if (s == -EINVAL)
			r = err_set(&c->err, SONDE_USAGE, SONDE_NONE,
				    "the kernel does not accept %llu as period of %.80s", (unsigned long long)period,
				    e->event.name);
		else if (s < 0)
			r = err_sys(&c->err, -s, "cannot change the period of %.80s", e->event.name);
	}
	if (r == 0)
		c->events.at[event].attr.sample_period = period;
	return r;
}
