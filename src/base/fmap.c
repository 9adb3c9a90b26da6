/* SPDX-License-Identifier: MIT */
#include "base/fmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"

int fmap_fd(struct fmap *m, int fd, struct sonde_error *err)
{
	struct stat st;
	uint8_t *p;
	ssize_t r;

	*m = (struct fmap){ 0 };
	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "cannot stat");
	if ((uint64_t)st.st_size > SIZE_MAX)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "too large for this machine's address space");
	if (st.st_size == 0)
		return 0;
	p = malloc((size_t)st.st_size);
	if (!p)
		return err_nomem(err);
	while (m->size < (size_t)st.st_size) {
		r = pread(fd, p + m->size, (size_t)st.st_size - m->size, (off_t)m->size);
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0) {
			*m = (struct fmap){ 0 };
			free(p);
			return err_sys(err, errno, "cannot read");
		}
		if (r == 0)
			break;  /* it became shorter */
		m->size += (size_t)r;
	}
	if (!m->size)
		free(p);
	else
		m->data = p;
	return 0;
}

static int read_all(struct fmap *m, int fd, size_t max, struct sonde_error *err)
{
	VEC(uint8_t) bytes = { 0 };
	ssize_t r;

	do {
		if (vec_reserve(&bytes, 65536) < 0) {
			vec_free(&bytes);
			return err_nomem(err);
		}
		r = read(fd, bytes.at + bytes.n, bytes.cap - bytes.n);
		if (r > 0)
			bytes.n += (size_t)r;
	} while ((r > 0 && bytes.n < max) || (r < 0 && errno == EINTR));
	if (r < 0) {
		vec_free(&bytes);
		return err_sys(err, errno, "cannot read");
	}
	*m = (struct fmap){ .data = bytes.at, .size = bytes.n < max ? bytes.n : max };
	return 0;
}

int fmap_path(struct fmap *m, const char *path, size_t max, struct sonde_error *err)
{
	struct stat st;
	int fd, r;

	/* O_NONBLOCK: a trace may name a FIFO, and opening that must not hang */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return err_sys(err, errno, "cannot open %s", path);
	if (fstat(fd, &st) < 0)
		r = err_sys(err, errno, "cannot stat %s", path);
	else if (!S_ISREG(st.st_mode))
		r = err_set(err, SONDE_USAGE, SONDE_NONE, "%s is not a regular file", path);
	else
		r = st.st_size ? fmap_fd(m, fd, err) : read_all(m, fd, max, err);
	close(fd);
	return r;
}

void fmap_close(struct fmap *m)
{
	if (!m->borrowed)
		free((void *)(uintptr_t)m->data);
	*m = (struct fmap){ 0 };
}
