/* SPDX-License-Identifier: MIT */
/* complete.h - completion of a command line; the shells' scripts ask `sonde help --complete -- WORDS` */
#ifndef CLI_HELP_COMPLETE_H
#define CLI_HELP_COMPLETE_H

/**
 * complete - print what the last of the words can become
 * @words: those after "sonde", up to the cursor; the last may be empty
 *
 * The first line is "KIND PREFIX". KIND "words": a line follows for each, WORD TAB EXPLANATION; what is typed so far
 * begins each of them. KIND "list": the same of a list, after which another word may come. "files", "directories",
 * "programs": the shell looks for what begins with the last word without PREFIX, and puts PREFIX before it. "nothing":
 * there is nothing.
 */
void complete(int nr_words, char *const *words);

/* The completion script of a shell: "bash", "zsh", "fish"; NULL for another shell. */
const char *completion_script(const char *shell);

/* The shells with a script; ends with NULL. */
extern const char *const completion_shells[];

#endif
