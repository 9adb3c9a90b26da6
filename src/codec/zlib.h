/* SPDX-License-Identifier: MIT */
/* zlib.h - the functions of zlib, as one row */
#ifndef CODEC_ZLIB_H
#define CODEC_ZLIB_H

#include "codec/codec.h"

extern const struct codec codec_zlib;

#endif
