/* SPDX-License-Identifier: MIT */
/*
 * tracedat_page.c - a page of the ring buffer; the first byte says the byte order (bit 0), the size of long (bit 1) and
 * whether the page is cut (bit 2)
 */
#include <stdlib.h>

#include "tracedat/format/page.h"

static volatile uint8_t sink;     /* so that reading cannot be left out */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page_layout l;
	struct page_event ev, again;
	struct page page;
	const uint8_t *last;
	int r;

	if (size == 0)
		return 0;
	l = dat_page_layout_default(data[0] & 1, data[0] & 2 ? 4 : 8);
	if (dat_page_open(&page, &l, data + 1, size - 1, data[0] & 4 ? size + 4095 : size - 1) < 0)
		return 0;
	last = page.p;
	while ((r = dat_page_next(&page, &ev)) > 0) {
		again = dat_page_event_at(&l, ev.at);
		if (again.data != ev.data || again.size != ev.size || ev.at < last || page.p <= ev.at ||
		    ev.data + ev.size > page.p || page.p > data + size)
			abort();
		last = page.p;
		for (uint32_t i = 0; i < ev.size; i++)
			sink = ev.data[i];
	}
	if (dat_page_next(&page, &ev) != 0)
		abort();
	return 0;
}
