/* SPDX-License-Identifier: MIT */
/* frame_name.h - what stands for a function that has no name. */
#ifndef EXPORT_FRAME_NAME_H
#define EXPORT_FRAME_NAME_H

#include <sonde/profile.h>

#include "base/buf.h"

/* "0x3fb10 (no symbol)": the place in the binary where the function begins */
static inline void frame_put_nameless(struct buf *b, const struct sonde_profile_frame *f)
{
	buf_printf(b, "0x%llx (no symbol)", (unsigned long long)f->addr);
}

#endif
