/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help.h"
#include "cli/lists.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/others.h"

const struct command *const commands[] = {
	&cmd_record,
	&cmd_extract,
	&cmd_report,
	&cmd_script,
	&cmd_info,
	&cmd_evlist,
	&cmd_buildid_list,
	&cmd_dump,
	&cmd_check,
	&cmd_export,
	&cmd_cut,
	&cmd_merge,
	&cmd_convert,
	&cmd_repair,
	&cmd_help,
	&cmd_version,
	NULL,
};

int command_unknown(const char *word)
{
	struct strings names = { 0 };
	int status;

	if (others_answer(word))
		return 2;
	for (const struct command *const *c = commands; *c; c++)
		if (list_add(&names, (*c)->name) < 0)
			return 1;
	if (list_add(&names, NULL) < 0)
		return 1;
	status = say_unknown("command", word, names.at);
	free(names.at);
	return status;
}

static int run_command(const struct command *cmd, int argc, char **argv)
{
	message_command(cmd->name);
	switch (options_parse(cmd, &argc, argv)) {
	case OPTIONS_DONE:
		return cmd->run(argc, argv);
	case OPTIONS_HELP:
		help_command(cmd);
		return 0;
	case OPTIONS_USAGE:
		break;
	}
	return 2;
}

static int run(int argc, char **argv)
{
	const struct command *cmd;

	if (argc < 2) {
		help_overview(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-v")) {
		printf("sonde %s\n", sonde_version());
		return 0;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help_overview(stdout);
		return 0;
	}
	if (argv[1][0] == '-')
		return say_usage("options come after a command; '%s' stands before one", argv[1]);
	cmd = command_find(argv[1]);
	if (!cmd)
		return command_unknown(argv[1]);
	return run_command(cmd, argc - 1, argv + 1);
}

/*
 * Standard files that are closed must not become files of ours, which messages would be written to. What takes their places
 * can neither be read from 0 nor written to through 1 and 2, and is closed for the commands that we start: as before.
 */
static bool keep_standard_files(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC) != fd)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	int status;

	if (!keep_standard_files())
		return 1;
	signal(SIGPIPE, SIG_DFL);  /* `sonde script | head` ends without a word, also when the parent ignored the signal */
	status = run(argc, argv);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		say("cannot write the output: %s", strerror(errno));
		return 1;
	}
	return status;
}
