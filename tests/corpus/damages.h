/* SPDX-License-Identifier: MIT */
/* damages.h - recordings of a folder, and random damages to them, each made by its number alone */
#ifndef TESTS_CORPUS_DAMAGES_H
#define TESTS_CORPUS_DAMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANGES_MAX = 32 };

struct bytes {
	uint8_t *p;
	size_t n;
};

struct range {
	size_t at, end;
};

/* The damage of a recording: the bytes of the whole one that are no longer where they were, or other ones. */
struct damage {
	const char *kind;
	struct range ranges[RANGES_MAX];
	size_t n;
	struct bytes bytes;
};

/* The next of a row of numbers, and one below @n (0 of 0). */
uint64_t next_random(uint64_t *state);
size_t below(uint64_t *state, size_t n);

/* @p, if there is memory. */
void *need(void *p);

/* The bytes are the caller's. */
struct damage damage_new(const struct bytes *whole, uint64_t number);

struct bytes read_file(const char *path);

/* The files in @folder that @is_wanted, by name; added to *paths, which are the caller's. */
void find_files(const char *folder, bool (*is_wanted)(const char *path), char ***paths, size_t *n);

#endif
