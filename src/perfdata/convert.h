/* SPDX-License-Identifier: MIT */
/* convert.h - the same trace in another form. */
#ifndef PERFDATA_CONVERT_H
#define PERFDATA_CONVERT_H

#include <sonde/rewrite.h>

/* As sonde_convert(), with all of @opts filled. */
int perfdata_convert(struct sonde_rewrite *handle, const char *in, const char *out, const struct sonde_convert_opts *opts);

#endif
