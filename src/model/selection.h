/* SPDX-License-Identifier: MIT */
/* selection.h - lists that narrow a query: an empty one lets everything pass. */
#ifndef MODEL_SELECTION_H
#define MODEL_SELECTION_H

#include <sonde/trace.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool selects_number(const int32_t *list, size_t n, int32_t number)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == number)
			return true;
	return n == 0;
}

static inline bool selects_time(const struct sonde_time_range *list, size_t n, uint64_t time)
{
	for (size_t i = 0; i < n; i++)
		if (time >= list[i].from && time <= list[i].to)
			return true;
	return n == 0;
}

static inline bool selects_name(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; name && i < n; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return n == 0;
}

#endif
