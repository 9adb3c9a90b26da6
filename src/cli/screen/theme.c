/* SPDX-License-Identifier: MIT */
#include "cli/screen/theme.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/command.h"

enum { OWN = -1, RED = 1, GREEN, YELLOW, MAGENTA = 5, CYAN, ORANGE = 208, BLUE = 75, PINK = 176 };

#define FRAME_LOOKS \
	[SCREEN_PLAIN] = { OWN, OWN }, [SCREEN_TITLE] = { OWN, OWN, .reverse = true }, \
	[SCREEN_SELECTED] = { OWN, OWN, .reverse = true }, [SCREEN_FAINT] = { OWN, OWN, .dim = true }

/* Blue and orange are told apart with any kind of colour blindness; the hot one is bold too. */
static const struct theme themes[] = {
	{ "default",
	  { FRAME_LOOKS, [SCREEN_HOT] = { ORANGE, YELLOW, .bold = true }, [SCREEN_WARM] = { BLUE, CYAN },
	    [SCREEN_WARNING] = { PINK, MAGENTA, .bold = true } } },
	{ "classic",
	  { FRAME_LOOKS, [SCREEN_HOT] = { RED, RED }, [SCREEN_WARM] = { GREEN, GREEN },
	    [SCREEN_WARNING] = { MAGENTA, MAGENTA, .bold = true } } },
	{ "mono",
	  { FRAME_LOOKS, [SCREEN_HOT] = { OWN, OWN, .bold = true }, [SCREEN_WARM] = { OWN, OWN },
	    [SCREEN_WARNING] = { OWN, OWN, .bold = true } } },
};
enum { NR_THEMES = sizeof(themes) / sizeof(themes[0]) };

static const struct theme *chosen;

static const struct theme *find(const char *name)
{
	for (size_t i = 0; i < NR_THEMES; i++)
		if (strcmp(themes[i].name, name) == 0)
			return &themes[i];
	return NULL;
}

int theme_choose(const char *name)
{
	chosen = find(name);
	if (!chosen)
		say_usage("--theme takes default, classic or mono, not '%s'", name);
	return chosen ? 0 : -SONDE_USAGE;
}

enum screen_style theme_style_of(double percent)
{
	return percent >= 5 ? SCREEN_HOT : percent >= 0.5 ? SCREEN_WARM : SCREEN_PLAIN;
}

const struct theme *theme_current(bool colours)
{
	const char *name = getenv("SONDE_THEME");

	if (!chosen && name && *name)
		chosen = find(name);
	if (!chosen && name && *name)
		warn("SONDE_THEME is default, classic or mono, not '%s'", name);
	if (!chosen)
		chosen = &themes[0];
	return colours ? chosen : find("mono");
}
