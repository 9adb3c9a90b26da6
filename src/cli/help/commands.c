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

const struct command *command_part_at(const struct command *cmd, size_t i)
{
	return cmd->part_at ? cmd->part_at(i) : NULL;
}

const struct command *command_find(const char *name)
{
	const struct command *part;

	for (const struct command_row *row = rows; row->command; row++) {
		if (!strcmp(row->command->name, name))
			return row->command;
		for (size_t i = 0; (part = command_part_at(row->command, i)); i++)
			if (!strcmp(part->name, name))
				return part;
	}
	return NULL;
}

const char *command_word(const struct command *cmd)
{
	const char *blank = strrchr(cmd->name, ' ');

	return blank ? blank + 1 : cmd->name;
}

const struct command *command_part(const struct command *cmd, int nr_words, char *const *words, int *at)
{
	const struct command *part;

	for (*at = 0; *at < nr_words && strcmp(words[*at], "--") != 0; ++*at) {
		if (*at && (!strcmp(words[*at - 1], "-i") || !strcmp(words[*at - 1], "--input")))
			continue;            /* a file of that name */
		for (size_t i = 0; (part = command_part_at(cmd, i)); i++)
			if (!strcmp(command_word(part), words[*at]))
				return part;
	}
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
