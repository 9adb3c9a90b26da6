/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/unpacker.h"

#include "codec/zstd.h"

static int lost(struct scanned *out, uint64_t bytes, enum check_rule rule, const char *name)
{
	out->bytes = bytes;
	out->rule = rule;
	out->name = name;
	return 0;
}

static int begin_stream(struct unpacker *u, struct sonde_error *err)
{
	u->broken = false;
	if (!u->decoder.state)
		return decoder_init(&u->decoder, &codec_zstd, err);
	decoder_reset(&u->decoder);
	return 0;
}

int unpacker_take(struct unpacker *u, const struct meta *meta, bool swap, struct scanned *out,
		  struct sonde_error *err)
{
	struct sonde_bytes b = compressed_payload(out->p, &out->h, swap);
	int r = 0;

	if (meta->compressed.type && meta->compressed.type != COMPRESSED_ZSTD)
		return lost(out, out->bytes, CHECK_RECORD_COMPRESSED,
			    "{byte|bytes} of compressed records of a kind that is not zstd");
	if ((!u->decoder.state || u->broken) && compressed_begins_stream(b))
		r = begin_stream(u, err);
	if (r < 0)
		return r;
	if (!u->decoder.state || u->broken)
		return lost(out, out->bytes, CHECK_RECORD_UNPACK,
			    "{byte|bytes} of compressed records that cannot be decompressed, because what came before "
			    "them "
			    "could not");
	u->io.in = b.p;
	u->io.nr_in = b.len;
	u->nr_in += b.len;
	u->waiting = b.len > 0;
	return 1;
}

int unpacker_step(struct unpacker *u, uint8_t *to, size_t *n, struct scanned *out, struct sonde_error *err)
{
	struct sonde_error why = { 0 };
	const char *name = "{byte|bytes} of compressed records that cannot be decompressed";
	int r;

	u->io.out = to;
	u->io.nr_out = *n;
	r = decoder_step(&u->decoder, &u->io, &why);
	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	*n -= u->io.nr_out;
	u->nr_out += *n;
	u->waiting = r > 0;
	if (r >= 0 && !compressed_expands_too_far(u->nr_in, u->nr_out))
		return 1;
	if (r >= 0)
		name = "{byte|bytes} of compressed records that expand more than 1000-fold: the rest is not "
		       "decompressed";
	u->waiting = false;
	u->broken = true;
	return lost(out, u->io.nr_in, CHECK_RECORD_UNPACK, name);
}

void unpacker_free(struct unpacker *u)
{
	decoder_free(&u->decoder);
	*u = (struct unpacker){ 0 };
}
