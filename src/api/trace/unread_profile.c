/* SPDX-License-Identifier: MIT */
#include "api/trace/unread_profile.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Reads a stream on until there are @most bytes, or its end. */
static int read_on(struct unread_profile *u, size_t most, struct sonde_error *err)
{
	while (u->head.n < most) {
		size_t room = most - u->head.n < IMPORT_HEAD_BYTES ? most - u->head.n : IMPORT_HEAD_BYTES;
		ssize_t n;

		if (vec_reserve(&u->head, room) < 0)
			return err_nomem(err);
		n = read(u->in.fd, u->head.at + u->head.n, room);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "cannot read");
		if (n == 0)
			break;
		u->head.n += (size_t)n;
	}
	return 0;
}

/* Reads the first @most bytes of a file, or all that there are. */
static int read_file(struct unread_profile *u, uint64_t most, struct sonde_error *err)
{
	uint64_t size = u->in.size < most ? u->in.size : most;
	int64_t n;

	u->head.n = 0;
	if (size != (size_t)size || vec_reserve(&u->head, (size_t)size + 1) < 0)
		return err_nomem(err);
	n = input_read(u->in.fd, 0, u->head.at, (size_t)size, err);
	if (n < 0)
		return (int)n;
	u->head.n = (size_t)n;
	return 0;
}

static int read_bytes(struct unread_profile *u, uint64_t most, struct sonde_error *err)
{
	if (u->in.map.data)
		return 0;
	return u->in.stream ? read_on(u, most < SIZE_MAX ? (size_t)most : SIZE_MAX, err) : read_file(u, most, err);
}

static void view(const struct unread_profile *u, const uint8_t **bytes, size_t *n)
{
	*bytes = u->in.map.data ? u->in.map.data : u->head.at;
	*n = u->in.map.data ? u->in.map.size : u->head.n;
}

/* 1: it is a profile. */
static int recognise(struct unread_profile *u, struct sonde_error *err)
{
	const uint8_t *bytes;
	size_t n;
	int r = 0;

	for (size_t i = 0; u->in.stream && i < u->in.nr_head && r == 0; i++)
		r = vec_push(&u->head, u->in.head[i]);
	if (r == 0)
		r = read_bytes(u, IMPORT_HEAD_BYTES, err);
	if (r < 0)
		return r;
	view(u, &bytes, &n);
	u->format = import_recognise(bytes, n, n < IMPORT_HEAD_BYTES, u->in.path);
	return u->format != NULL;
}

int unread_profile_new(struct unread_profile **out, struct input *in, struct sonde_error *err)
{
	struct unread_profile *u = calloc(1, sizeof(*u));
	int r;

	if (!u)
		return err_nomem(err);
	u->in = *in;
	u->info = (struct sonde_trace_info){ .format = "", .path = in->path };
	r = recognise(u, err);
	if (r > 0) {
		*out = u;
		return 1;
	}
	vec_free(&u->head);
	free(u);
	return r;
}

int unread_profile_bytes(struct unread_profile *u, const uint8_t **bytes, size_t *n, struct sonde_error *err)
{
	int r = read_bytes(u, UINT64_MAX, err);

	view(u, bytes, n);
	return r;
}

void unread_profile_free(struct unread_profile *u)
{
	if (!u)
		return;
	input_close(&u->in);
	vec_free(&u->head);
	free(u);
}
