/* SPDX-License-Identifier: MIT */
/* zstd.h - the functions of zstd, as one row */
#ifndef CODEC_ZSTD_H
#define CODEC_ZSTD_H

#include "codec/codec.h"

extern const struct codec codec_zstd;

#endif
