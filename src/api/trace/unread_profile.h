/* SPDX-License-Identifier: MIT */
/* unread_profile.h - a file that is no trace but a profile of another tool, as far as its format is known */
#ifndef API_TRACE_UNREAD_PROFILE_H
#define API_TRACE_UNREAD_PROFILE_H

#include "import/formats.h"
#include "io/input.h"

struct unread_profile {
	const struct import_format *format;
	struct input in;             /* owned */
	struct sonde_trace_info info;    /* has the path alone */
	VEC(uint8_t) head;           /* bytes of a stream that have been read */
};

/*
 * Looks at the first bytes of an input that is no trace. 1: it is a profile, which *out has taken over; 0: it is none;
 * negative: they cannot be read.
 */
int unread_profile_new(struct unread_profile **out, struct input *in, struct sonde_error *err);

/* All bytes of the file: a view until unread_profile_free(). 0 or negative; a stream has them once. */
int unread_profile_bytes(struct unread_profile *u, const uint8_t **bytes, size_t *n, struct sonde_error *err);

void unread_profile_free(struct unread_profile *u);

#endif
