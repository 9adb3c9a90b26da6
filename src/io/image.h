/* SPDX-License-Identifier: MIT */
/*
 * image.h - the bytes of a trace at rest, sound or not: read through one window, wherever asked
 *
 * For what must look at a file as it lies on disk (check, repair, rewriting). Memory does not grow with the file, and a
 * file that shrinks meanwhile gives fewer bytes, no signal.
 */
#ifndef IO_IMAGE_H
#define IO_IMAGE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "io/input.h"

/* The most that one view can show. */
#define IMAGE_VIEW_MAX (1024 * 1024)

/* Who is told, now and then, which share of an image has been read. */
struct image_progress {
	void (*fn)(void *ctx, double share);  /* NULL: nobody */
	void *ctx;
};

struct image {
	struct image_progress progress;
	int fd;                      /* owned; -1: in memory */
	int dir_fd;                  /* the directory whose `data` this is; -1 otherwise; owned */
	const uint8_t *memory;       /* the caller's */
	const char *path;            /* as it was opened, the caller's; NULL: there is none */
	uint64_t size;
	uint8_t *window;
	uint64_t window_at;
	size_t window_bytes;
	int sys_errno;               /* the last read failed with it; 0 */
};

/**
 * image_open - the regular file at @path; anything else ("-" is the standard input) is first copied to a file without a
 * name in $TMPDIR, or /tmp. Of a directory it is the file `data` in it.
 */
int image_open(struct image *im, const char *path, struct sonde_error *err);

/* The regular file @name in a directory. */
int image_open_at(struct image *im, int dir_fd, const char *name, struct sonde_error *err);

/* n bytes that outlive the image */
void image_memory(struct image *im, const void *p, uint64_t n);

/* The bytes of an input that is open, which must outlive the image. */
int image_of_input(struct image *im, const struct input *in, struct sonde_error *err);

/* A view of the n bytes at an offset, until the next call; NULL if they are not all there. */
const uint8_t *image_view(struct image *im, uint64_t at, size_t n);

/* As many of n bytes as are there, up to IMAGE_VIEW_MAX. */
const uint8_t *image_view_some(struct image *im, uint64_t at, uint64_t n, size_t *got);

/* Holes worth a seek. */
#define IMAGE_HOLE_MIN ((uint64_t)1 << 20)

/* How many of n bytes from an offset on are a hole in the file: nothing is stored there, and it reads as zeros. */
uint64_t image_hole(const struct image *im, uint64_t at, uint64_t n);

/*
 * The n bytes at an offset without a move of the window: a view if they are at hand, else read into @room, which holds
 * as many. NULL if they are not all there.
 */
const uint8_t *image_peek(struct image *im, uint64_t at, size_t n, void *room);

/**
 * image_keep - the n bytes at an offset, which lie within the image, for as long as @arena and memory that is an image
 * live
 * *n is lowered when the file has meanwhile become shorter. Returns 0, -SONDE_NOMEM, -SONDE_SYSTEM.
 */
int image_keep(struct image *im, uint64_t at, size_t *n, struct arena *arena, const uint8_t **out,
	       struct sonde_error *err);

/* A copy of the n bytes at an offset, to be freed; NULL if they are not all there or memory is short. */
uint8_t *image_copy(struct image *im, uint64_t at, uint64_t n);

/* 0, or the failure of a read, which so far has looked like the end of the file */
int image_failed(const struct image *im, struct sonde_error *err);

/*
 * 0, or -SONDE_TRUNCATED: the file has become shorter than it was when it was opened, and what is missing has looked
 * like its end.
 */
int image_shrunk(const struct image *im, struct sonde_error *err);

void image_close(struct image *im);

/* A new file without a name in $TMPDIR, or /tmp: its descriptor, or negative. */
int image_nameless(struct sonde_error *err);

#endif
