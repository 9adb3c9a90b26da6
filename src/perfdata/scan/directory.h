/* SPDX-License-Identifier: MIT */
/* directory.h - the files of a recording that is a directory: `data`, and data.0, data.1 ... beside it. */
#ifndef PERFDATA_SCAN_DIRECTORY_H
#define PERFDATA_SCAN_DIRECTORY_H

#include "model/meta.h"

#include "base/err.h"
#include "base/vec.h"
#include "perfdata/format/part_name.h"

/*
 * Whether there may be files beside `data`: where the feature that tells was lost, or never written, nothing speaks
 * against it.
 */
bool directory_may_have_parts(const struct meta *meta);

/* The N of the files data.N. */
struct part_numbers {
	uint32_t *at;
	size_t n, cap;
};

/* Adds the numbers of the files in the directory, in ascending order; free with vec_free(), also on failure. */
int directory_list_parts(int dir_fd, struct part_numbers *out, struct sonde_error *err);

/*
 * How many of 0 to the highest number are not there; without any it is at least one if @meta says that there are some.
 */
uint64_t directory_missing_parts(const struct meta *meta, const struct part_numbers *have);

/* The content of a directory beside `data`: names of regular files, and how many directories there are. */
struct directory_names {
	char **at;
	size_t n, cap;
	size_t nr_directories;
};

int directory_list(int dir_fd, struct directory_names *out, struct sonde_error *err);
void directory_names_free(struct directory_names *names);

#endif
