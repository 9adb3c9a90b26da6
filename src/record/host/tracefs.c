/* SPDX-License-Identifier: MIT */
#include "record/host/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fd_io.h"
#include "record/host/sysfile.h"

const char *tracefs_find(void)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		ssize_t n = sysfile_read(text, sizeof(text), "%s/events/header_page", places[i]);

		if (n > 0 || n == -EACCES)
			return places[i];
	}
	return NULL;
}

int tracefs_read(struct buf *out, const char *dir, const char *file)
{
	char path[TRACEFS_PATH];
	ssize_t n = 0;
	char *room;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((room = buf_room(out, 65536)) && (n = read(fd, room, 65536)) > 0)
		out->n += (size_t)n;
	if (n < 0)
		n = -errno;
	close(fd);
	return room ? (int)n : -ENOMEM;
}

int tracefs_write(const char *dir, const char *file, const char *value, bool append)
{
	char path[TRACEFS_PATH];
	size_t n = strlen(value);
	int fd, e = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC | (append ? O_APPEND : O_TRUNC));
	if (fd < 0)
		return -errno;
	if (n && write(fd, value, n) < 0)
		e = -errno;
	if (close(fd) < 0 && e == 0)
		e = -errno;
	return e;
}
