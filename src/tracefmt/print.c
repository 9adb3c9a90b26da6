/* SPDX-License-Identifier: MIT */
#include "tracefmt/tracefmt.h"

void tracefmt_print(const struct tracefmt_event *e, struct sonde_bytes raw, const struct tracefmt_context *ctx,
		    struct buf *out)
{
	(void)ctx;
	buf_str(out, "[FAILED TO PARSE]");
	tracefmt_print_fields(e, raw, out);
}
