/* SPDX-License-Identifier: MIT */
/* statistics.h - the least and the greatest value of a column in a row group, by which readers skip it */
#ifndef PARQUET_STATISTICS_H
#define PARQUET_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest text that has statistics: they stand in the footer, which every query reads. */
#define STATISTICS_TEXT_MAX 64

struct statistics_text {
	size_t len;
	char text[STATISTICS_TEXT_MAX];
};

/* { 0 } has seen no value. */
struct statistics {
	bool known;                  /* there has been a value */
	bool lost;                   /* a text was too long */
	int64_t min, max;
	struct statistics_text min_text, max_text;
};

void statistics_add_numbers(struct statistics *s, const int64_t *values, size_t n);
void statistics_add_text(struct statistics *s, const char *text, size_t len);

#endif
