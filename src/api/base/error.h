/* SPDX-License-Identifier: MIT */
/* error.h - errors of calls that have no handle: in a struct of the program, whose size is that of its version */
#ifndef API_BASE_ERROR_H
#define API_BASE_ERROR_H

#include "base/err.h"

/* Clears @own, the error while the call works. -SONDE_USAGE: the program has not set the sz of @to. */
int error_begin(struct sonde_error *own, const struct sonde_error *to);

/* Copies @own to @to, which may be NULL; returns @r. */
int error_end(struct sonde_error *to, const struct sonde_error *own, int r);

/* A call that takes @to: @call does its work and sets @own. */
#define WITH_ERROR(to, own, call) \
	struct sonde_error own; \
	int refused = error_begin(&own, to); \
	\
	return refused < 0 ? refused : error_end(to, &own, call)

#endif
