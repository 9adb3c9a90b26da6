/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/debuginfod.h"
#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/base/read_progress.h"
#include "cli/base/symbol_notes.h"
#include "cli/base/terminal.h"
#include "cli/declared_commands.h"
#include "cli/help/commands.h"
#include "cli/help/help.h"

static const struct command_row command_rows[] = {
	{ "Record and count", &cmd_record },
	{ NULL, &cmd_stat },
	{ NULL, &cmd_top },
	{ NULL, &cmd_list },
	{ NULL, &cmd_extract },
	{ "Look at a trace", &cmd_report },
	{ NULL, &cmd_annotate },
	{ NULL, &cmd_view },
	{ NULL, &cmd_sched },
	{ NULL, &cmd_script },
	{ NULL, &cmd_sql },
	{ NULL, &cmd_info },
	{ NULL, &cmd_evlist },
	{ NULL, &cmd_buildid_list },
	{ NULL, &cmd_symbols },
	{ NULL, &cmd_dump },
	{ NULL, &cmd_check },
	{ "Make other files of a trace", &cmd_export },
	{ NULL, &cmd_fleet },
	{ NULL, &cmd_bundle },
	{ NULL, &cmd_cut },
	{ NULL, &cmd_merge },
	{ NULL, &cmd_convert },
	{ NULL, &cmd_repair },
	{ "About sonde", &cmd_help },
	{ NULL, &cmd_version },
	{ 0 },
};

/* The part of a command that the words name, whose word is taken out; else the command. */
static const struct command *narrow(const struct command *cmd, int *argc, char **argv)
{
	int at;
	const struct command *part = command_part(cmd, *argc - 1, argv + 1, &at);

	if (!part)
		return cmd;
	memmove(argv + 1 + at, argv + 2 + at, (size_t)(*argc - 1 - at) * sizeof(*argv));
	--*argc;
	return part;
}

static int run_command(const struct command *cmd, int argc, char **argv, enum pager_use use)
{
	cmd = narrow(cmd, &argc, argv);
	message_command(cmd->name);
	switch (options_parse(cmd, &argc, argv)) {
	case OPTIONS_DONE:
		if (use == PAGER_ALWAYS || !cmd->takes_screen || !cmd->takes_screen())
			terminal_begin(use, cmd->prints_a_lot);
		if (!cmd->reads_no_trace)
			read_progress_begin(cmd->prints_at_once);
		return cmd->run_as ? cmd->run_as(cmd, argc, argv) : cmd->run(argc, argv);
	case OPTIONS_HELP:
		terminal_begin(use, true);
		help_command(cmd);
		return 0;
	case OPTIONS_USAGE:
		break;
	}
	return 2;
}

static bool is(const char *word, const char *letter, const char *name)
{
	return !strcmp(word, letter) || !strcmp(word, name);
}

static int run(int argc, char **argv)
{
	enum pager_use use = PAGER_AUTO;
	const struct command *cmd;

	for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
		if (is(argv[1], "-p", "--paginate"))
			use = PAGER_ALWAYS;
		else if (!strcmp(argv[1], "--no-pager"))
			use = PAGER_NEVER;
		else
			break;
	}
	if (argc < 2) {
		help_overview(stderr);
		return 2;
	}
	if (is(argv[1], "-v", "--version")) {
		printf("sonde %s\n", sonde_version());
		return 0;
	}
	if (is(argv[1], "-h", "--help")) {
		terminal_begin(use, true);
		help_overview(stdout);
		return 0;
	}
	if (argv[1][0] == '-')
		return say_usage("options come after a command; '%s' stands before one", argv[1]);
	cmd = command_find(argv[1]);
	return cmd ? run_command(cmd, argc - 1, argv + 1, use) : command_unknown(argv[1]);
}

/*
 * Opens closed standard descriptors, so that no file of ours gets their numbers and messages. The substitutes can
 * neither be read from 0 nor written to through 1 and 2; they close on exec, so started commands find the descriptors
 * closed as before.
 */
static bool keep_standard_files(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC) != fd)
			return false;
	return true;
}

/*
 * Memory of read buffers, tables that grow and what is forgotten goes back to the system at once. By itself, the
 * allocator of glibc keeps it from the first large free() on: small recordings took half as much again.
 */
static void return_memory(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 64 << 10);
#endif
}

int main(int argc, char **argv)
{
	int status;

	if (!keep_standard_files())
		return 1;
	return_memory();
	/* `sonde script | head` ends silently, even if the parent ignored the signal */
	signal(SIGPIPE, SIG_DFL);
	message_program(argv[0]);
	commands_begin(command_rows);
	debuginfod_begin();
	status = run(argc, argv);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		say("cannot write the output: %s", strerror(errno));
		status = 1;
	}
	terminal_end();
	return status ? status : symbol_notes_short_of_memory();
}
