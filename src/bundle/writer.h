/* SPDX-License-Identifier: MIT */
/* writer.h - writes a recording and the bundle behind it */
#ifndef BUNDLE_WRITER_H
#define BUNDLE_WRITER_H

#include "bundle/bundle.h"
#include "codec/codec.h"
#include "io/output.h"

struct bundle_writer {
	struct output *to;
	struct packer packer;
	struct buf directory;
	uint64_t recording;
};

/* Copies the recording. bundle_writer_free() in any case. */
int bundle_writer_begin(struct bundle_writer *w, struct output *to, struct image *recording, struct sonde_error *err);

/* Adds n bytes under a key whose strings live as long as the call. A name that is too long is left out. */
int bundle_writer_add(struct bundle_writer *w, const struct bundle_key *key, const void *p, size_t n,
		      struct sonde_error *err);

/* Writes the directory and the trailer; the caller finishes the output. */
int bundle_writer_end(struct bundle_writer *w, struct sonde_error *err);

void bundle_writer_free(struct bundle_writer *w);

#endif
