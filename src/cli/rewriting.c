/* SPDX-License-Identifier: MIT */
#include "cli/rewriting.h"

#include "cli/command.h"
#include "cli/ledger.h"

int rewriting_end(struct sonde_rewrite *w, const char *path, int result, bool strict)
{
	const struct sonde_loss *losses;
	const struct sonde_error *err;
	int status = 1;
	size_t n;

	if (!w)
		return say_out_of_memory();
	err = sonde_rewrite_error(w);
	if (result < 0) {
		say_error(err->code == SONDE_USAGE ? NULL : path, err);
	} else {
		n = sonde_rewrite_losses(w, &losses);
		status = ledger_print_rows(path, losses, n) && strict;
	}
	sonde_rewrite_free(w);
	return status;
}
