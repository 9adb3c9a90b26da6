/* SPDX-License-Identifier: MIT */
/* theme.h - the colours of a screen, by name: --theme, else $SONDE_THEME */
#ifndef CLI_SCREEN_THEME_H
#define CLI_SCREEN_THEME_H

#include <stdbool.h>

#include "cli/screen/screen.h"

/* How one style looks. Colours are numbers of the terminal; -1: its own. */
struct theme_look {
	short of_256, of_8;
	bool bold, reverse, dim;
};

struct theme {
	const char *name;
	struct theme_look looks[SCREEN_STYLES];
};

/* A row for a command's table. */
#define THEME_ROW \
	{ "theme", 0, OPTION_CALL, .call = theme_choose, .arg = "NAME", \
	  .help = "colours of the screen: default (blue, orange), classic (green, red) or mono; else $SONDE_THEME is " \
		  "used without it" }
int theme_choose(const char *name);

/* The style of a share. */
enum screen_style theme_style_of(double percent);

/* The theme that was chosen; one without colours if @colours is false. Warns of an unknown $SONDE_THEME. */
const struct theme *theme_current(bool colours);

#endif
