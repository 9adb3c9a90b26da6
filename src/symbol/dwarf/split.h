/* SPDX-License-Identifier: MIT */
/* split.h - split DWARF: the units that .dwo files and .dwp packages have of the skeletons in a debug file. */
#ifndef SYMBOL_DWARF_SPLIT_H
#define SYMBOL_DWARF_SPLIT_H

#include "base/u64map.h"
#include "symbol/dwarf/die_names.h"
#include "symbol/dwarf/missing_parts.h"
#include "symbol/dwarf/package.h"
#include "symbol/dwarf/paths.h"

/* The skeletons of a debug file. */
struct splits {
	const struct dwarf_paths *paths;
	struct missing_parts *missing;
	pthread_mutex_t lock;        /* of the package and the ids */
	struct package package;
	char package_path[PATH_MAX];
	bool looked_for_package, told_of_package;
	struct u64map used_ids;      /* each unit belongs to one skeleton */
	uint32_t misfits_left;       /* files with another id that are still opened */
};

/* The unit of a skeleton. */
struct split {
	pthread_mutex_t lock;
	bool looked_for;
	struct debug_file file;
	struct unit *unit;           /* NULL: was not found */
};

/* missing: has a note of each file that is not found; lives longer, as paths do. */
void splits_init(struct splits *s, const struct dwarf_paths *paths, struct missing_parts *missing);
void splits_free(struct splits *s);

void split_init(struct split *split);
void split_free(struct split *split);

static inline bool unit_is_skeleton(const struct unit *u)
{
	return DIE_HAS(&u->die, ATTR_DWO_NAME) && u->id;
}

/* The unit with the entries of a skeleton, found at the first call; NULL: there is none. By several threads. */
struct unit *split_unit(struct split *split, struct splits *all, const struct unit *skeleton,
			struct die_names *names);

#endif
