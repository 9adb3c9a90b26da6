/* SPDX-License-Identifier: MIT */
/* check_features.h - what the features of a file say of each other */
#ifndef PERFDATA_SCAN_CHECK_FEATURES_H
#define PERFDATA_SCAN_CHECK_FEATURES_H

#include "perfdata/scan/layout.h"

/* The features of a file against each other, its events, and its @nr_packed compressed records. */
void check_features(const struct layout *l, struct findings *f);
void check_compression(const struct layout *l, uint64_t nr_packed, struct findings *f);

#endif
