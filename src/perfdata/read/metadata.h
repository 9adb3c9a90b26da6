/* SPDX-License-Identifier: MIT */
/* metadata.h - what records say of the file itself: attrs, names, features */
#ifndef PERFDATA_READ_METADATA_H
#define PERFDATA_READ_METADATA_H

#include "perfdata/read/perfdata.h"

/*
 * Takes from the record at @p what it says about the file itself: attrs, names, features. @payload: bytes at hand
 * after the record (TRACING_DATA).
 */
int perfdata_note_metadata(struct perfdata *f, const uint8_t *p, size_t payload, uint64_t file_offset,
			   struct sonde_error *err);
/* All features have come: says which of them waited in vain for another one. The first call counts. */
int perfdata_finish_features(struct perfdata *f, struct sonde_error *err);
/* Gives events the names and groups that features tell; -SONDE_NOMEM. */
int perfdata_name_evsels(struct perfdata *f);

#endif
