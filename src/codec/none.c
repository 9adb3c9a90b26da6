/* SPDX-License-Identifier: MIT */
/* none.c - bytes that were stored as they are. */
#include <string.h>

#include "codec/codec.h"
#include "codec/none.h"

static char no_state;

static void *none_new(void)
{
	return &no_state;
}

static int none_step(void *state, struct codec_io *io, struct sonde_error *err)
{
	size_t n = io->nr_in < io->nr_out ? io->nr_in : io->nr_out;

	(void)state;
	(void)err;
	if (n)
		memcpy(io->out, io->in, n);
	io->in += n;
	io->nr_in -= n;
	io->out += n;
	io->nr_out -= n;
	return io->nr_in > 0;
}

static void none_drop(void *state)
{
	(void)state;
}

static const char *none_version(void)
{
	return "";
}

static size_t none_bound(size_t n)
{
	return n ? n : 1;
}

static size_t none_pack(void *packer, uint32_t level, const void *p, size_t n, void *to, size_t room)
{
	(void)packer;
	(void)level;
	if (n > room)
		return 0;
	memcpy(to, p, n);
	return n;
}

const struct codec codec_none = {
	.name = "none",
	.new = none_new,
	.step = none_step,
	.reset = none_drop,
	.free = none_drop,
	.version = none_version,
	.packer_new = none_new,
	.packer_free = none_drop,
	.bound = none_bound,
	.pack = none_pack,
};
