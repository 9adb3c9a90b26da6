/* SPDX-License-Identifier: MIT */
/* first_records.h - the records at the beginning of a file, for what they say of its events */
#ifndef PERFDATA_READ_FIRST_RECORDS_H
#define PERFDATA_READ_FIRST_RECORDS_H

#include "perfdata/read/perfdata.h"

/* See struct reader_ops. */
int perfdata_first_records(struct reader *r, struct sonde_error *err);

/* Looks for the ids that events lack; a stream cannot be read twice. */
int perfdata_find_ids(struct perfdata *f, struct sonde_error *err);

#endif
