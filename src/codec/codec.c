/* SPDX-License-Identifier: MIT */
#include "codec/codec.h"

#include <string.h>

#include "base/bytes.h"

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

void decoder_free(struct decoder *d)
{
	if (d->state)
		d->codec->free(d->state);
	*d = (struct decoder){ 0 };
}
