/* SPDX-License-Identifier: MIT */
/* merge_record.h - a record as it is in the merged file */
#ifndef PERFDATA_REWRITE_MERGE_RECORD_H
#define PERFDATA_REWRITE_MERGE_RECORD_H

#include "perfdata/rewrite/merge.h"

/**
 * merge_record - a record of the kernel, or one of the recorder that names events, as it is in the new file
 * @out: valid until the next call
 * Returns 1, 0 if it has no place there (the ledger says why), or negative.
 */
int merge_record(struct merge *m, struct merge_input *in, const struct sonde_event *ev, struct sonde_bytes *out);

#endif
