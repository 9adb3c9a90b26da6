/* SPDX-License-Identifier: MIT */
/* messenger.h - what the user of a recorder should know while it records */
#ifndef RECORD_HOST_MESSENGER_H
#define RECORD_HOST_MESSENGER_H

/* Something the user should know. */
struct messenger {
	void (*say)(void *ctx, const char *text);
	void *ctx;
};
void messenger_say(const struct messenger *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
