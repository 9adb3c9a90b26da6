/* SPDX-License-Identifier: MIT */
/* code_view.h - shows the code of functions until the user leaves it */
#ifndef CLI_CODE_CODE_VIEW_H
#define CLI_CODE_CODE_VIEW_H

#include "cli/code/code.h"

enum code_end {
	CODE_LEFT = 1,               /* back to the view before, if there is one */
	CODE_QUIT,
};

/*
 * Shows the function that @opts name, until a key leaves it; the other members are obeyed. Returns a code_end, or
 * negative with a reason if the function cannot be shown.
 */
int code_show(const struct code_source *source, const struct sonde_annotate_opts *opts, char *why, size_t size);

#endif
