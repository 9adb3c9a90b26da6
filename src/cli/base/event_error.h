/* SPDX-License-Identifier: MIT */
/* event_error.h - an error in an event string, with a caret below its place */
#ifndef CLI_BASE_EVENT_ERROR_H
#define CLI_BASE_EVENT_ERROR_H

#include <sonde/types.h>

/* The message of @e, then @text and a caret under the byte that e->file_offset tells; returns exit status 2. */
int say_bad_event(const char *text, const struct sonde_error *e);

#endif
