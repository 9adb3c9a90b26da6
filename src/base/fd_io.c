/* SPDX-License-Identifier: MIT */
#include "base/fd_io.h"

#include <errno.h>
#include <unistd.h>

int fd_write(int fd, const void *p, size_t n)
{
	const char *from = p;

	while (n > 0) {
		ssize_t r = write(fd, from, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return errno;
		from += r;
		n -= (size_t)r;
	}
	return 0;
}

int fd_write_at(int fd, const void *p, size_t n, uint64_t at)
{
	const char *from = p;

	while (n > 0) {
		ssize_t r = pwrite(fd, from, n, (off_t)at);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return errno;
		from += r;
		at += (uint64_t)r;
		n -= (size_t)r;
	}
	return 0;
}

size_t fd_read_at(int fd, void *to, size_t n, uint64_t at, int *sys_errno)
{
	size_t have = 0;

	*sys_errno = 0;
	while (have < n) {
		ssize_t r = pread(fd, (char *)to + have, n - have, (off_t)(at + have));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			*sys_errno = errno;
		if (r <= 0)
			break;
		have += (size_t)r;
	}
	return have;
}

void fd_wake(int eventfd)
{
	const uint64_t one = 1;
	int saved = errno;
	ssize_t n = write(eventfd, &one, sizeof(one));

	(void)n;                     /* full: it will be seen anyway */
	errno = saved;
}
