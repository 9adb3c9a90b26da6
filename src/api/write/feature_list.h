/* SPDX-License-Identifier: MIT */
/* feature_list.h - header features that are lists, from arrays of a program's structs */
#ifndef API_WRITE_FEATURE_LIST_H
#define API_WRITE_FEATURE_LIST_H

#include "base/err.h"
#include "model/meta.h"

/* Whether members of struct sonde_meta hold the whole feature: it is neither a list nor known by its bytes only. */
bool feature_is_scalar(uint32_t feature);

/*
 * Sets @feature in @meta, from @nr elements of @size bytes. *@list: the array that @meta refers to, for free(), set in
 * any case. 0, -SONDE_USAGE if the feature is not one of these lists or the size is not right, -SONDE_NOMEM.
 */
int feature_list_take(uint32_t feature, const void *items, size_t nr, size_t size, struct meta *meta, void **list,
		      struct sonde_error *err);

#endif
