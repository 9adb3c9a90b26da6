/* SPDX-License-Identifier: MIT */
/* recording_compose.h - a recorded file, written anew without holes */
#ifndef TRACEDAT_WRITE_RECORDING_COMPOSE_H
#define TRACEDAT_WRITE_RECORDING_COMPOSE_H

#include "tracedat/write/recording_file.h"

/**
 * dat_recording_compose - the new file takes the name of the one that grew
 * @packed: it is compressed, and its pages are the chunks of recording_pack.h; otherwise nothing is compressed
 */
int dat_recording_compose(struct recording *r, const struct page_meta *meta, bool packed, struct sonde_error *err);

#endif
