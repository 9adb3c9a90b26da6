/* SPDX-License-Identifier: MIT */
/* frame_name.h - a substitute for the name of a function that has none */
#ifndef EXPORT_FRAME_NAME_H
#define EXPORT_FRAME_NAME_H

#include <sonde/profile.h>

#include "base/buf.h"
#include "base/json.h"

/* "0x3fb10 (no symbol)": the place in the binary where the function begins */
static inline void frame_put_nameless(struct buf *b, const struct sonde_profile_frame *f)
{
	buf_printf(b, "0x%llx (no symbol)", (unsigned long long)f->addr);
}

/* The mark after the name of a function that was inlined. */
static inline void frame_put_inlined(struct buf *b, const struct sonde_profile_frame *f)
{
	if (f->inlined)
		buf_str(b, " (inlined)");
}

/* The members of a JSON object besides the name; nothing where they are not known. */
static inline void frame_put_source(struct json *j, const struct sonde_profile_frame *f)
{
	if (f->inlined) {
		json_key(j, "inlined");
		json_bool(j, true);
	}
	if (f->file) {
		json_member_text(j, "file", f->file);
		json_member_u64(j, "line", f->line);
	}
}

/* The same as members of a JSON object, for a function without a name or an address outside known functions. */
static inline void frame_put_address(struct json *j, const struct sonde_profile_frame *f)
{
	json_key(j, "addr");
	json_hex(j, f->addr);
	if (f->size)
		json_member_u64(j, "size", f->size);
}

#endif
