/* SPDX-License-Identifier: MIT */
/* input.h - what a trace is read from, and the formats that can be tried on it. */
#ifndef MODEL_INPUT_H
#define MODEL_INPUT_H

#include "base/fmap.h"
#include "model/reader.h"

/* Bytes that are looked at to tell the format. */
#define INPUT_HEAD_BYTES 16

struct input {
	const char *path;            /* for messages */
	struct fmap map;             /* the whole input; unused for a stream */
	int fd;                      /* a stream, -1 otherwise; owned */
	uint8_t head[INPUT_HEAD_BYTES];  /* of a stream: what has been read of it already */
	size_t nr_head;
};

void input_close(struct input *in);

struct input_format {
	const char *name;
	bool (*probe)(const uint8_t *p, size_t n);
	/* True when the format can be read from a pipe as it comes; otherwise all of it is read first. */
	bool (*can_stream)(const uint8_t *p, size_t n);
	/* Takes @in over, also on failure. */
	int (*open)(struct input *in, struct reader **out, struct sonde_error *err);
};

#endif
