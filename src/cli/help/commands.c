/* SPDX-License-Identifier: MIT */
#include "cli/help/commands.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/lists.h"
#include "cli/base/message.h"
#include "cli/help/other_tools.h"

static const struct command_row *rows;

void commands_begin(const struct command_row *table)
{
	rows = table;
}

const struct command_row *commands(void)
{
	return rows;
}

const struct command *command_find(const char *name)
{
	for (const struct command_row *row = rows; row->command; row++)
		if (!strcmp(row->command->name, name))
			return row->command;
	return NULL;
}

int command_unknown(const char *word)
{
	struct strings names = { 0 };
	int status;

	if (other_tools_answer(word))
		return 2;
	for (const struct command_row *row = rows; row->command; row++)
		if (list_add(&names, row->command->name) < 0)
			return 1;
	if (list_add(&names, NULL) < 0)
		return 1;
	status = say_unknown("command", word, names.at);
	free(names.at);
	return status;
}
