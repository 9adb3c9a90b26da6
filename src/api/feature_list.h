/* SPDX-License-Identifier: MIT */
/* feature_list.h - header features that are lists, from arrays of a program's structs */
#ifndef API_FEATURE_LIST_H
#define API_FEATURE_LIST_H

#include "base/err.h"
#include "model/meta.h"

/* No member of struct sonde_meta holds this feature: it is a list, or known by its bytes only. */
bool feature_is_list(uint32_t feature);

/*
 * Sets @feature in @meta, from @nr elements of @size bytes. *@list: the array that @meta refers to, for free(), set in
 * any case. 0, -SONDE_USAGE if the feature is not one of these lists or the size is not right, -SONDE_NOMEM.
 */
int feature_list_take(uint32_t feature, const void *items, size_t nr, size_t size, struct meta *meta, void **list,
		      struct sonde_error *err);

#endif
