/* SPDX-License-Identifier: MIT */
#include <sonde/text.h>

#include "api/base/error.h"
#include "api/base/text_output.h"
#include "api/trace/trace.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "export/dump/dump.h"

static int dump(struct sonde_trace *t, const struct sonde_output *to, const struct sonde_dump_opts *opts,
		struct sonde_error *err)
{
	struct buf out = text_output(to, err);
	struct sonde_iter *it;
	bool hex = OPT(opts, hex, false);
	const struct sonde_event *ev;
	int r = OPTS_CHECK(sonde_dump_opts, opts, err);

	if (r < 0)
		return r;
	it = sonde_iter_new(t, OPT(opts, query, NULL));
	if (!it)
		return err_nomem(err);
	while ((r = sonde_iter_next(it, &ev)) > 0) {
		dump_event(&out, ev, &t->reader->meta, hex);
		if (out.failed)
			break;
	}
	if (r < 0 && err && err->code == 0)
		*err = t->err;
	if (buf_flush(&out) < 0)
		r = out.failed;
	buf_free(&out);
	sonde_iter_free(it);
	return r;
}

int sonde_dump(struct sonde_trace *t, const struct sonde_output *to, const struct sonde_dump_opts *opts,
	       struct sonde_error *err)
{
	WITH_ERROR(err, own, dump(t, to, opts, &own));
}
