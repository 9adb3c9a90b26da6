/* SPDX-License-Identifier: MIT */
#include "codec/codec.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "codec/none.h"
#include "codec/zlib.h"
#include "codec/zstd.h"

static const struct codec *const codecs[] = { &codec_none, &codec_zlib, &codec_zstd };

const struct codec *codec_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(codecs); i++)
		if (strcmp(codecs[i]->name, name) == 0)
			return codecs[i];
	return NULL;
}

int decoder_init(struct decoder *d, const struct codec *codec, struct sonde_error *err)
{
	*d = (struct decoder){ .codec = codec, .state = codec->new() };
	return d->state ? 0 : err_nomem(err);
}

int decoder_step(struct decoder *d, struct codec_io *io, struct sonde_error *err)
{
	return d->codec->step(d->state, io, err);
}

void decoder_reset(struct decoder *d)
{
	d->codec->reset(d->state);
}

int decoder_unpack(struct decoder *d, const void *p, size_t n, uint8_t *out, size_t size, struct sonde_error *err)
{
	struct codec_io io = { .in = p, .nr_in = n, .out = out, .nr_out = size, .at_once = true };
	uint8_t more;
	int r;

	decoder_reset(d);
	while ((r = decoder_step(d, &io, err)) > 0 && io.nr_out > 0)
		;
	if (r > 0) {  /* all that was promised has come: is there more? */
		io.out = &more;
		io.nr_out = 1;
		r = decoder_step(d, &io, err);
		if (r >= 0 && io.nr_out == 0)
			return err_set(err, SONDE_CORRUPT, SONDE_NONE, "more than the %zu bytes it promises", size);
		io.nr_out = 0;
	}
	if (r < 0)
		return r;
	if (io.nr_out)
		return err_set(err, SONDE_CORRUPT, SONDE_NONE, "%zu of the %zu bytes it promises are missing",
			       io.nr_out, size);
	return 0;
}

void decoder_free(struct decoder *d)
{
	if (d->state)
		d->codec->free(d->state);
	*d = (struct decoder){ 0 };
}

int packer_init(struct packer *e, const struct codec *codec, uint32_t level, struct sonde_error *err)
{
	*e = (struct packer){ .codec = codec, .level = level ? level : codec->default_level };
	if (e->level > codec->max_level)
		e->level = codec->max_level;
	e->state = codec->packer_new();
	return e->state ? 0 : err_nomem(err);
}

const uint8_t *packer_pack(struct packer *e, const void *p, size_t n, size_t *size)
{
	size_t bound = e->codec->bound(n);

	if (bound > e->cap) {
		free(e->packed);
		e->packed = malloc(bound);
		e->cap = e->packed ? bound : 0;
		if (!e->packed)
			return NULL;
	}
	*size = e->codec->pack(e->state, e->level, p, n, e->packed, e->cap);
	return *size ? e->packed : NULL;
}

void packer_free(struct packer *e)
{
	if (e->state)
		e->codec->packer_free(e->state);
	free(e->packed);
	*e = (struct packer){ 0 };
}

int stream_packer_init(struct stream_packer *s, const struct codec *codec, uint32_t level, struct sonde_error *err)
{
	if (level == 0)
		level = codec->default_level;
	*s = (struct stream_packer){ codec, codec->stream_new(level < codec->max_level ? level : codec->max_level) };
	return s->state ? 0 : err_nomem(err);
}

int stream_packer_step(struct stream_packer *s, struct codec_io *io, struct sonde_error *err)
{
	return s->codec->stream(s->state, io, err);
}

void stream_packer_free(struct stream_packer *s)
{
	if (s->state)
		s->codec->stream_free(s->state);
	*s = (struct stream_packer){ 0 };
}
