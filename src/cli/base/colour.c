/* SPDX-License-Identifier: MIT */
#include "cli/base/colour.h"

#include <string.h>

#include "cli/base/command.h"
#include "cli/base/terminal.h"

const char *colour_word = "auto";

bool colour_is_when(const char *word)
{
	return !strcmp(word, "always") || !strcmp(word, "never") || !strcmp(word, "auto");
}

int colour_check(void)
{
	if (*colour_word && !colour_is_when(colour_word))
		return say_usage("--stdio-color takes always, never or auto, not '%s'", colour_word);
	return 0;
}

bool colour_is_on(void)
{
	return !strcmp(colour_word, "auto") ? terminal_has_colour() : strcmp(colour_word, "never") != 0;
}
