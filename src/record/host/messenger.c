/* SPDX-License-Identifier: MIT */
#include "record/host/messenger.h"

#include <stdarg.h>
#include <stdio.h>

void messenger_say(const struct messenger *m, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (!m->say)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	m->say(m->ctx, text);
}
