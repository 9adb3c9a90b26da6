/* SPDX-License-Identifier: MIT */
/* none.h - the functions of the codec that does nothing, as one row */
#ifndef CODEC_NONE_H
#define CODEC_NONE_H

#include "codec/codec.h"

extern const struct codec codec_none;

#endif
