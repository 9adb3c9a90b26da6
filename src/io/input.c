/* SPDX-License-Identifier: MIT */
#include "io/input.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd_io.h"

void input_take_map(struct input *in)
{
	in->size = in->map.size;
	in->nr_head = in->map.size < sizeof(in->head) ? in->map.size : sizeof(in->head);
	if (in->nr_head)
		memcpy(in->head, in->map.data, in->nr_head);
}

struct input input_of_memory(const char *path, const void *p, size_t n)
{
	struct input in = INPUT_NONE;

	in.path = path;
	in.map = (struct fmap){ .data = p, .size = n, .borrowed = true };
	input_take_map(&in);
	return in;
}

int input_shrunk(const struct input *in, struct sonde_error *err)
{
	struct stat st;

	if (in->fd < 0 || in->stream || fstat(in->fd, &st) < 0 || (uint64_t)st.st_size >= in->size)
		return 0;
	return err_set(err, SONDE_TRUNCATED, (uint64_t)st.st_size,
		       "%s: the input became shorter while it was read: %" PRIu64 " of %" PRIu64 " bytes are left",
		       in->path, (uint64_t)st.st_size, in->size);
}

void input_close(struct input *in)
{
	fmap_close(&in->map);
	if (in->fd >= 0)
		close(in->fd);
	if (in->dir_fd >= 0)
		close(in->dir_fd);
	in->fd = -1;
	in->dir_fd = -1;
}

int64_t input_read(int fd, uint64_t at, void *to, size_t n, struct sonde_error *err)
{
	int bad;
	size_t have = fd_read_at(fd, to, n, at, &bad);

	return bad ? err_sys(err, bad, "cannot read") : (int64_t)have;
}
