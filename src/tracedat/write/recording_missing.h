/* SPDX-License-Identifier: MIT */
/* recording_missing.h - notes in the file about events that the recorder could not write */
#ifndef TRACEDAT_WRITE_RECORDING_MISSING_H
#define TRACEDAT_WRITE_RECORDING_MISSING_H

#include "base/arena.h"
#include "tracedat/write/recording_file.h"

/* The notes of the recorder, and those that dat_recording_note_missing() adds. */
struct recording_notes {
	VEC(struct page_note) all;
	struct arena arena;
};

/* Copies the notes of *meta to @notes, and adds one for each CPU that lacks events. */
int dat_recording_note_missing(struct recording *r, struct page_meta *meta, struct recording_notes *notes,
			       struct sonde_error *err);

#endif
