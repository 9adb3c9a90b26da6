/* SPDX-License-Identifier: MIT */
#include "bundle/writer.h"

#include <string.h>

#include "bundle/entry.h"
#include "io/trailer.h"

static void pad(struct bundle_writer *w, uint64_t to)
{
	buf_pad(&w->to->buf, 0, ALIGN_UP(output_at(w->to), to) - output_at(w->to));
}

int bundle_writer_begin(struct bundle_writer *w, struct output *to, struct image *recording, struct sonde_error *err)
{
	int r;

	*w = (struct bundle_writer){ .to = to, .directory = BUF_MEMORY, .recording = recording->size };
	r = packer_init(&w->packer, codec_find("zstd"), 0, err);
	if (r == 0)
		r = output_copy(to, recording, 0, recording->size, err);
	if (r < 0)
		return r;
	pad(w, TRAILER_ALIGN);
	buf_put(&to->buf, TRAILER_MAGIC, TRAILER_MAGIC_BYTES);
	return 0;
}

int bundle_writer_add(struct bundle_writer *w, const struct bundle_key *key, const void *p, size_t n,
		      struct sonde_error *err)
{
	struct bundle_member m = { .key = *key, .packing = BUNDLE_ZSTD, .raw_size = n };
	const uint8_t *packed;
	size_t size;

	if (n > BUNDLE_RAW_MAX || strlen(key->name) > ENTRY_NAME_MOST)
		return 0;
	packed = packer_pack(&w->packer, p, n, &size);
	if (!packed)
		return err_nomem(err);
	if (size >= n || n / BUNDLE_RATIO_MAX > size) {
		packed = p;
		size = n;
		m.packing = BUNDLE_STORED;
	}
	pad(w, MEMBER_ALIGN);
	m.offset = output_at(w->to);
	m.size = size;
	m.hash = trailer_hash(packed, size);
	buf_put(&w->to->buf, packed, size);
	entry_encode(&w->directory, &m);
	return w->to->buf.failed;
}

int bundle_writer_end(struct bundle_writer *w, struct sonde_error *err)
{
	uint8_t p[TRAILER_BYTES];
	struct trailer t;

	if (w->directory.failed)
		return err_nomem(err);
	pad(w, MEMBER_ALIGN);
	t = (struct trailer){ .directory = output_at(w->to), .directory_size = w->directory.n,
			      .recording = w->recording,
			      .hash = trailer_hash(w->directory.p, w->directory.n) };
	trailer_encode(p, &t);
	buf_put(&w->to->buf, w->directory.p, w->directory.n);
	buf_put(&w->to->buf, p, sizeof(p));
	return w->to->buf.failed;
}

void bundle_writer_free(struct bundle_writer *w)
{
	packer_free(&w->packer);
	buf_free(&w->directory);
}
