/* SPDX-License-Identifier: MIT */
/* recording_missing.h - the events that a recorder could not write, told in the file */
#ifndef TRACEDAT_WRITE_RECORDING_MISSING_H
#define TRACEDAT_WRITE_RECORDING_MISSING_H

#include "base/arena.h"
#include "tracedat/write/recording_file.h"

/* Those of the recorder, and what dat_recording_note_missing() adds. */
struct recording_notes {
	VEC(struct page_note) all;
	struct arena arena;
};

/* The notes of *meta become @notes, with a further one for each CPU of which
 * events are missing. */
int dat_recording_note_missing(struct recording *r, struct page_meta *meta, struct recording_notes *notes,
			       struct sonde_error *err);

#endif
