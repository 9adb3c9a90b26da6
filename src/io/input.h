/* SPDX-License-Identifier: MIT */
/*
 * input.h - what a trace is read from
 *
 * An input is memory, a file that is read at places, or a stream that can only be read on. Files are read, not mapped:
 * a file that shrinks while it is mapped kills the process that looks at it (docs/decisions/reading.md).
 */
#ifndef IO_INPUT_H
#define IO_INPUT_H

#include "base/err.h"
#include "base/fmap.h"

/* Bytes that are looked at to tell the format. */
#define INPUT_HEAD_BYTES 16

struct input {
	const char *path;            /* for messages */
	struct fmap map;             /* memory; unused otherwise */
	int fd;                      /* file or stream, -1 for memory; owned */
	bool stream;
	uint64_t size;               /* SONDE_NONE of a stream */
	uint8_t head[INPUT_HEAD_BYTES];  /* the first bytes; of a stream they have been read */
	size_t nr_head;
	/* the directory that the file is in, if that is what was opened; -1 otherwise; owned */
	int dir_fd;
};

#define INPUT_NONE ((struct input){ .fd = -1, .dir_fd = -1 })

/* The caller's bytes as an input; they must outlive it. */
struct input input_of_memory(const char *path, const void *p, size_t n);

/* After the bytes of in->map have changed hands: its size and first bytes are the input's. */
void input_take_map(struct input *in);

void input_close(struct input *in);

/*
 * 0, or -SONDE_TRUNCATED: the file has become shorter than it was when it was opened, and what is missing has looked
 * like its end. The message begins with its path.
 */
int input_shrunk(const struct input *in, struct sonde_error *err);

/* Reads n bytes of a file at a place, fewer only at its end: how many, or negative. */
int64_t input_read(int fd, uint64_t at, void *to, size_t n, struct sonde_error *err);

#endif
