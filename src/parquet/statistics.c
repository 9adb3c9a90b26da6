/* SPDX-License-Identifier: MIT */
#include "parquet/statistics.h"

#include <string.h>

#include "base/str.h"

void statistics_add_numbers(struct statistics *s, const int64_t *values, size_t n)
{
	int64_t min = s->known ? s->min : INT64_MAX, max = s->known ? s->max : INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		min = values[i] < min ? values[i] : min;
		max = values[i] > max ? values[i] : max;
	}
	s->known = s->known || n > 0;
	s->min = min;
	s->max = max;
}

/* Parquet orders texts by their bytes, as unsigned numbers. */
static int compare(const struct statistics_text *t, const char *text, size_t len)
{
	return str_compare((struct sonde_str){ t->text, t->len }, (struct sonde_str){ text, len });
}

static void set(struct statistics_text *t, const char *text, size_t len)
{
	t->len = len;
	if (len)
		memcpy(t->text, text, len);
}

void statistics_add_text(struct statistics *s, const char *text, size_t len)
{
	if (len > STATISTICS_TEXT_MAX) {
		s->lost = true;
		return;
	}
	if (!s->known || compare(&s->min_text, text, len) > 0)
		set(&s->min_text, text, len);
	if (!s->known || compare(&s->max_text, text, len) < 0)
		set(&s->max_text, text, len);
	s->known = true;
}
