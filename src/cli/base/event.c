/* SPDX-License-Identifier: MIT */
#include "cli/base/event.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/lists.h"
#include "cli/base/message.h"

int event_check(const struct sonde_profile *p, const char *name)
{
	const struct sonde_profile_event *event;
	struct strings known = { 0 };
	int status = 1;

	for (size_t i = 0; name && (event = sonde_profile_event_at(p, i)); i++) {
		if (strcmp(event->name, name) == 0 && event->all_samples)
			name = NULL;
		else if (event->all_samples && list_add(&known, event->name) < 0)
			goto free;
	}
	status = 0;
	if (name && known.n)             /* if no event has samples, the export reports it */
		status = list_add(&known, NULL) < 0 ? 1 : say_unknown("event with samples", name, known.at);
free:
	free(known.at);
	return status;
}
