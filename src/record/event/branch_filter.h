/* SPDX-License-Identifier: MIT */
/* branch_filter.h - the branches that a processor records, by perf's names */
#ifndef RECORD_EVENT_BRANCH_FILTER_H
#define RECORD_EVENT_BRANCH_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * branch_filter_parse - "any,u" to bits of PERF_SAMPLE_BRANCH_*
 * A list that names only privilege levels means any branch. false: *@bad is the word that is no filter.
 */
bool branch_filter_parse(const char *text, uint64_t *out, const char **bad);

/* The i-th name; NULL after the last. */
const char *branch_filter_at(size_t i);

#endif
