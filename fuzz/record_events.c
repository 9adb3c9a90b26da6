/* SPDX-License-Identifier: MIT */
/* The text of an -e option. Without sysfs and tracefs: nothing outside the text decides what is parsed. */
#include <stdlib.h>
#include <string.h>

#include "record/perf/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct event_roots nowhere = { "/nonexistent", "/nonexistent" };
	struct sonde_error err = { 0 };
	struct events list = { 0 };
	char *text = strndup((const char *)data, size);

	if (text && events_parse(&list, text, &nowhere, &err) < 0 && (list.n != 0 || !*err.text))
		abort();
	events_free(&list);
	free(text);
	return 0;
}
