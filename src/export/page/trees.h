/* SPDX-License-Identifier: MIT */
/* trees.h - the trees of the HTML page: one for each event, with the tasks at its roots */
#ifndef EXPORT_PAGE_TREES_H
#define EXPORT_PAGE_TREES_H

#include "export/export.h"

/* Writes the profile to x->out: 1, 0 if there is nothing to write, or negative. */
int export_html(struct export *x);

#endif
