/* SPDX-License-Identifier: MIT */
/* text.h - a text on the whole screen, which can be longer than that; the help of a view is one */
#ifndef CLI_SCREEN_TEXT_H
#define CLI_SCREEN_TEXT_H

#include <stddef.h>

#include "cli/base/keys.h"

/* Shows the lines of @text until a key is pressed that does not move them, or @wake_fd becomes readable. */
void text_show(const char *title, const char *text, int wake_fd);

/* Shows the keys of a view. */
void text_show_keys(const char *title, enum key_view view, int wake_fd);

#endif
