/* SPDX-License-Identifier: MIT */
#include "base/fd_io.h"

#include <errno.h>
#include <sys/stat.h>
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

#define STORED_RATIO 64
#define STORED_FREE (UINT64_C(64) << 20)
#define STAT_BLOCK 512

uint64_t fd_memory_max(int fd, uint64_t size)
{
	uint64_t max = STORED_FREE;
	struct stat st;

	if (fstat(fd, &st) == 0 && (uint64_t)st.st_blocks < size)
		max += (uint64_t)st.st_blocks * STAT_BLOCK * STORED_RATIO;
	else
		max = size;
	return max < size ? max : size;
}

void fd_wake(int eventfd)
{
	const uint64_t one = 1;
	int saved = errno;
	ssize_t n = write(eventfd, &one, sizeof(one));

	(void)n;                     /* full: it will be seen anyway */
	errno = saved;
}
