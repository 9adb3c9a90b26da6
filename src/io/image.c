/* SPDX-License-Identifier: MIT */
#include "io/image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_io.h"
#include "io/trailer.h"

int image_nameless(struct sonde_error *err)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	if (!dir || !dir[0])
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	if ((size_t)snprintf(path, sizeof(path), "%s/sonde-XXXXXX", dir) >= sizeof(path))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "the name in TMPDIR is too long");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "cannot create a file in %s", dir);
	unlink(path);
	return fd;
}

/* A stream becomes a file: what follows reads it more than once. Takes @fd over. */
static int copy_stream(int fd, struct sonde_error *err)
{
	uint8_t *block = malloc(IMAGE_VIEW_MAX);
	int to = block ? image_nameless(err) : err_nomem(err);
	ssize_t n = 1;

	while (to >= 0 && n != 0) {
		int bad;

		n = read(fd, block, IMAGE_VIEW_MAX);
		if (n < 0 && errno == EINTR)
			continue;
		bad = n < 0 ? errno : fd_write(to, block, (size_t)n);
		if (bad) {
			int failed = err_sys(err, bad,
					     n < 0 ? "cannot read" : "cannot keep what comes through the pipe");

			close(to);
			to = failed;
		}
	}
	free(block);
	close(fd);
	return to;
}

/* Takes @fd over; closes the image on failure. */
static int take_file(struct image *im, int fd, struct sonde_error *err)
{
	struct stat st;

	im->fd = fd;
	im->window = malloc(IMAGE_VIEW_MAX);
	if (fstat(fd, &st) < 0 || !im->window) {
		int failed = im->window ? err_sys(err, errno, "cannot stat") : err_nomem(err);

		image_close(im);
		return failed;
	}
	im->size = trailer_recording(fd, (uint64_t)st.st_size);
	return 0;
}

int image_open(struct image *im, const char *path, struct sonde_error *err)
{
	bool standard_input = strcmp(path, "-") == 0;
	struct stat st;
	int fd = standard_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);

	*im = (struct image){ .fd = -1, .dir_fd = -1, .path = standard_input ? NULL : path };
	if (fd < 0)
		return err_sys(err, errno, "cannot open");
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		im->dir_fd = fd;
		fd = openat(im->dir_fd, "data", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0) {
			err_sys(err, errno, "cannot open data in the directory");
			image_close(im);
			return -SONDE_SYSTEM;
		}
	}
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		fd = copy_stream(fd, err);
		if (fd < 0) {
			image_close(im);
			return fd;
		}
	}
	return take_file(im, fd, err);
}

int image_open_at(struct image *im, int dir_fd, const char *name, struct sonde_error *err)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	*im = (struct image){ .fd = -1, .dir_fd = -1 };
	if (fd < 0)
		return err_sys(err, errno, "cannot open its file %s", name);
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, SONDE_USAGE, SONDE_NONE, "%s in the directory is no file", name);
	}
	return take_file(im, fd, err);
}

int image_of_input(struct image *im, const struct input *in, struct sonde_error *err)
{
	int fd = in->fd < 0 ? -1 : fcntl(in->fd, F_DUPFD_CLOEXEC, 0);

	if (in->fd < 0) {
		image_memory(im, in->map.data, in->size);
		return 0;
	}
	*im = (struct image){ .fd = -1, .dir_fd = -1 };
	return fd < 0 ? err_sys(err, errno, "cannot open") : take_file(im, fd, err);
}

void image_memory(struct image *im, const void *p, uint64_t n)
{
	*im = (struct image){ .fd = -1, .dir_fd = -1, .memory = p, .size = n };
}

/* Fills the window from an offset on. */
static void fill_window(struct image *im, uint64_t at)
{
	size_t have = 0;
	int bad;

	/* of what is read in order; a look at another place says nothing */
	if (im->progress.fn && at > im->window_at && at - im->window_at <= im->window_bytes)
		im->progress.fn(im->progress.ctx, (double)at / (double)im->size);
	/* what is there already moves to the front */
	if (at >= im->window_at && at - im->window_at < im->window_bytes) {
		have = im->window_bytes - (size_t)(at - im->window_at);
		memmove(im->window, im->window + (at - im->window_at), have);
	}
	im->window_at = at;
	have += fd_read_at(im->fd, im->window + have, IMAGE_VIEW_MAX - have, at + have, &bad);
	if (bad)
		im->sys_errno = bad;
	im->window_bytes = have;
}

const uint8_t *image_view(struct image *im, uint64_t at, size_t n)
{
	uint64_t into;

	if (at > im->size || n > im->size - at || n > IMAGE_VIEW_MAX)
		return NULL;
	if (im->fd < 0)
		return im->memory + at;
	if (at < im->window_at || at - im->window_at > im->window_bytes ||
	    n > im->window_bytes - (size_t)(at - im->window_at))
		fill_window(im, at);
	into = at - im->window_at;
	return n <= im->window_bytes - into ? im->window + into : NULL;
}

const uint8_t *image_view_some(struct image *im, uint64_t at, uint64_t n, size_t *got)
{
	uint64_t left = at < im->size ? im->size - at : 0;
	const uint8_t *p;

	if (n > left)
		n = left;
	*got = n < IMAGE_VIEW_MAX ? (size_t)n : IMAGE_VIEW_MAX;
	p = image_view(im, at, *got);
	if (!p)
		*got = 0;
	return p;
}

uint64_t image_hole(const struct image *im, uint64_t at, uint64_t n)
{
	off_t data = im->fd >= 0 && n >= IMAGE_HOLE_MIN ? lseek(im->fd, (off_t)at, SEEK_DATA) : (off_t)at;
	struct stat st;

	if (data >= 0)
		return (uint64_t)data - at < n ? (uint64_t)data - at : n;
	/* nothing but a hole up to the end, wherever that is now */
	if (errno != ENXIO || fstat(im->fd, &st) < 0 || (uint64_t)st.st_size <= at)
		return 0;
	return (uint64_t)st.st_size - at < n ? (uint64_t)st.st_size - at : n;
}

static bool is_at_hand(const struct image *im, uint64_t at, size_t n)
{
	return im->fd < 0 || (at >= im->window_at && at - im->window_at <= im->window_bytes &&
			      n <= im->window_bytes - (size_t)(at - im->window_at));
}

static size_t read_past_window(struct image *im, uint64_t at, void *to, size_t n)
{
	int bad;
	size_t have = fd_read_at(im->fd, to, n, at, &bad);

	if (bad)
		im->sys_errno = bad;
	return have;
}

const uint8_t *image_peek(struct image *im, uint64_t at, size_t n, void *room)
{
	if (at > im->size || n > im->size - at)
		return NULL;
	if (is_at_hand(im, at, n))
		return im->fd < 0 ? im->memory + at : im->window + (at - im->window_at);
	return read_past_window(im, at, room, n) == n ? room : NULL;
}

int image_keep(struct image *im, uint64_t at, size_t *n, struct arena *arena, const uint8_t **out,
	       struct sonde_error *err)
{
	uint8_t *copy;

	if (im->fd < 0) {
		*out = im->memory + at;
		return 0;
	}
	copy = arena_alloc(arena, *n);
	if (!copy)
		return err_nomem(err);
	*n = read_past_window(im, at, copy, *n);
	*out = copy;
	return image_failed(im, err);
}

uint8_t *image_copy(struct image *im, uint64_t at, uint64_t n)
{
	uint8_t *copy;

	if (at > im->size || n > im->size - at || n > SIZE_MAX - 1)
		return NULL;
	copy = malloc((size_t)n + 1);
	for (uint64_t done = 0; copy && done < n;) {
		size_t got;
		const uint8_t *p = image_view_some(im, at + done, n - done, &got);

		if (!p) {
			free(copy);
			return NULL;
		}
		memcpy(copy + done, p, got);
		done += got;
	}
	return copy;
}

int image_failed(const struct image *im, struct sonde_error *err)
{
	return im->sys_errno ? err_sys(err, im->sys_errno, "cannot read") : 0;
}

int image_shrunk(const struct image *im, struct sonde_error *err)
{
	struct stat st;

	if (im->fd < 0 || fstat(im->fd, &st) < 0 || (uint64_t)st.st_size >= im->size)
		return 0;
	return err_set(err, SONDE_TRUNCATED, (uint64_t)st.st_size,
		       "the input became shorter while it was read: %" PRIu64 " of %" PRIu64 " bytes are left",
		       (uint64_t)st.st_size, im->size);
}

void image_close(struct image *im)
{
	if (im->fd >= 0)
		close(im->fd);
	if (im->dir_fd >= 0)
		close(im->dir_fd);
	free(im->window);
	*im = (struct image){ .fd = -1, .dir_fd = -1 };
}
