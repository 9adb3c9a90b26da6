/* SPDX-License-Identifier: MIT */
/* page_code.h - the functions whose code a page of a profile shows */
#ifndef CLI_REPORT_PAGE_CODE_H
#define CLI_REPORT_PAGE_CODE_H

#include <sonde/annotate.h>

struct page_code {
	struct sonde_annotation **list;
	size_t n, bytes;
};

/*
 * The hottest functions of each event, of those whose code is here. 0 or -SONDE_NOMEM. To be freed in either case.
 * @how: it is shown
 */
int page_code_take(struct page_code *c, struct sonde_profile *p, const struct sonde_annotate_opts *how);
void page_code_free(struct page_code *c);

#endif
