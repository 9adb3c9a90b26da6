/* SPDX-License-Identifier: MIT */
/*
 * recording_pack.h - compresses the pages of a recording while it grows
 *
 * The file that grows has the pages as they are, so that it can be read whatever ends the recorder. A thread follows
 * and compresses them into chunks, which lie in a file without a name until the recording is finished.
 */
#ifndef TRACEDAT_WRITE_RECORDING_PACK_H
#define TRACEDAT_WRITE_RECORDING_PACK_H

#include "tracedat/write/recording_file.h"

/* Begins the thread; without it, or when it fails, the pages stay as they are. */
void dat_recording_pack_start(struct recording *r);

/* So many bytes of pages are new. The lock of the recording is held. */
void dat_recording_pack_tell(struct recording *r, uint64_t bytes);

/* Ends the thread and compresses all pages that are left. Whether each page is in a chunk. */
bool dat_recording_pack_rest(struct recording *r);

/* Ends the thread; its chunks are no more. */
void dat_recording_pack_end(struct recording *r);

#endif
