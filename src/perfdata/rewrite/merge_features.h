/* SPDX-License-Identifier: MIT */
/* merge_features.h - the headers of the inputs in one */
#ifndef PERFDATA_REWRITE_MERGE_FEATURES_H
#define PERFDATA_REWRITE_MERGE_FEATURES_H

#include "perfdata/rewrite/merge.h"

/* The features of the new file: those before its records, and those that are known only after them. 0 or negative. */
int merge_features(struct merge *m);
int merge_late_features(struct merge *m);

#endif
