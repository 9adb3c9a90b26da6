/* SPDX-License-Identifier: MIT */
/*
 * codec.h - compressors behind one interface
 *
 * A decoder takes input of any size and gives output as there is room, so that neither side is ever held as a whole. A
 * packer makes packed bytes that stand by themselves. To add a compressor, add its file and its row in codec.c.
 */
#ifndef CODEC_CODEC_H
#define CODEC_CODEC_H

#include "base/err.h"

/* Input and output of one step, which moves the pointers and lowers the counts. */
struct codec_io {
	const uint8_t *in;
	size_t nr_in;
	uint8_t *out;
	size_t nr_out;
	bool at_once;                /* output before a failure is of no use: a faster way exists then */
};

/* One compressor. State is what new() returned. */
struct codec {
	const char *name;            /* "zstd", as users spell it */
	void *(*new)(void);          /* NULL only when out of memory */
	/* See decoder_step(). */
	int (*step)(void *state, struct codec_io *io, struct sonde_error *err);
	void (*reset)(void *state);
	void (*free)(void *state);
	const char *(*version)(void);  /* of its library, "1.5.4" */
	uint32_t default_level, max_level;
	void *(*packer_new)(void);     /* as new(), for pack() */
	void (*packer_free)(void *packer);
	size_t (*bound)(size_t n);     /* the most that n bytes become */
	/* Packs n bytes; their packed size, 0 when there was no room or memory. */
	size_t (*pack)(void *packer, uint32_t level, const void *p, size_t n, void *to, size_t room);
	/* A stream that goes on, as perf.data has it. NULL: none of this kind is written. */
	void *(*stream_new)(uint32_t level);
	/* See stream_packer_step(). */
	int (*stream)(void *state, struct codec_io *io, struct sonde_error *err);
	void (*stream_free)(void *state);
};

/* NULL for a name without a row. */
const struct codec *codec_find(const char *name);

struct decoder {
	const struct codec *codec;   /* NULL: none yet */
	void *state;
};

/* 0 or -SONDE_NOMEM; decoder_free() takes it also after that. */
int decoder_init(struct decoder *d, const struct codec *codec, struct sonde_error *err);

/**
 * decoder_step - decompress what there is, as far as there is room
 * Returns 1 when more output may wait for room, 0 when all of the input has been used and its output given (the stream
 * need not be at its end: a recorder flushes, and never ends it), -SONDE_CORRUPT when the bytes are no such stream,
 * -SONDE_NOMEM. After a failure only decoder_reset() and decoder_free() may follow; all that could be decompressed
 * before the damage has come out, however the input was divided.
 */
int decoder_step(struct decoder *d, struct codec_io *io, struct sonde_error *err);

/* The next byte begins a new stream. */
void decoder_reset(struct decoder *d);

/* Decompresses a stream of n bytes that stands by itself to exactly @size: 0, -SONDE_CORRUPT, -SONDE_NOMEM. */
int decoder_unpack(struct decoder *d, const void *p, size_t n, uint8_t *out, size_t size, struct sonde_error *err);

void decoder_free(struct decoder *d);

struct packer {
	const struct codec *codec;   /* NULL: none yet */
	void *state;
	uint32_t level;
	uint8_t *packed;             /* the packed bytes of the last call */
	size_t cap;
};

/* level 0: the compressor's own; one that is too high becomes the highest. 0 or -SONDE_NOMEM;
 * packer_free() in any case. */
int packer_init(struct packer *e, const struct codec *codec, uint32_t level, struct sonde_error *err);

/* Compresses n bytes so that they stand by themselves: a view of *size bytes until the next call,
 * NULL when out of memory. */
const uint8_t *packer_pack(struct packer *e, const void *p, size_t n, size_t *size);

void packer_free(struct packer *e);

/* Compresses a stream that goes on: what it has been given so far can be decompressed, the end is never marked. */
struct stream_packer {
	const struct codec *codec;   /* NULL: none yet */
	void *state;
};

/* As packer_init(). */
int stream_packer_init(struct stream_packer *s, const struct codec *codec, uint32_t level, struct sonde_error *err);

/**
 * stream_packer_step - compress all that there is, as far as there is room
 * Returns 1 when more output waits for room, 0 when all of the input has come out; negative on failure.
 */
int stream_packer_step(struct stream_packer *s, struct codec_io *io, struct sonde_error *err);

void stream_packer_free(struct stream_packer *s);

#endif
