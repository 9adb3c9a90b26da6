/* SPDX-License-Identifier: MIT */
/* ending.h - the signals that ask a command to end: it removes first what it has made for the run */
#ifndef CLI_BASE_ENDING_H
#define CLI_BASE_ENDING_H

#include <stdbool.h>

/*
 * Catches SIGINT, SIGTERM, SIGQUIT, SIGPIPE, and SIGHUP unless it is ignored (nohup). @on_signal gets the signal.
 * @ignores_pipe: a SIGPIPE that the process causes by its own writing is ignored: the write fails.
 */
void ending_catch(void (*on_signal)(int sig), bool ignores_pipe);

#endif
