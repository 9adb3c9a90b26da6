/* SPDX-License-Identifier: MIT */
/* none.c - bytes that were stored as they are. */
#include <string.h>

#include "codec/codec.h"

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

const struct codec codec_none = { .name = "none", .new = none_new, .step = none_step, .reset = none_drop, .free = none_drop };
