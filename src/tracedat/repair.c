/* SPDX-License-Identifier: MIT */
#include "tracedat/rewrite.h"

int tracedat_repair(struct sonde_rewrite *handle, struct image *im, const char *out)
{
	(void)out;
	image_close(im);
	return err_set(&handle->err, SONDE_UNSUPPORTED, SONDE_NONE, "a trace.dat cannot be repaired yet");
}
