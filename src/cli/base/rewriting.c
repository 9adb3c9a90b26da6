/* SPDX-License-Identifier: MIT */
#include "cli/base/rewriting.h"

#include <sonde/bundle.h>

#include "cli/base/command.h"
#include "cli/base/ledger.h"
#include "cli/base/memory.h"

struct sonde_rewrite *rewriting_begin(void)
{
	struct sonde_rewrite *w = sonde_rewrite_new();

	if (w)
		sonde_rewrite_set_progress(w, open_options()->progress, open_options()->progress_ctx);
	return w;
}

void say_bundle_left_out(const char *path)
{
	struct sonde_bundle *b = sonde_bundle_new();

	if (b && sonde_bundle_open(b, path) == 0)
		say("%s: its bundle is left out: sonde bundle makes another one where the binaries are", path);
	sonde_bundle_free(b);
}

int rewriting_end(struct sonde_rewrite *w, const char *path, int result, bool strict)
{
	const struct sonde_error *err;
	int status = 1;

	if (!w)
		return say_out_of_memory();
	err = sonde_rewrite_error(w);
	if (result < 0) {
		say_error(err->code == SONDE_USAGE ? NULL : path, err);
	} else {
		status = ledger_print_rewrite(path, w) && strict;
	}
	sonde_rewrite_free(w);
	return status;
}
