/* SPDX-License-Identifier: MIT */
#include "cli/rewriting.h"

#include "cli/command.h"
#include "cli/ledger.h"
#include "cli/memory.h"

struct sonde_rewrite *rewriting_begin(void)
{
	struct sonde_rewrite *w = sonde_rewrite_new();

	if (w)
		sonde_rewrite_set_progress(w, open_options()->progress, open_options()->progress_ctx);
	return w;
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
