/* SPDX-License-Identifier: MIT */
/* child.h - the command to be measured: started, held before its exec, let go, waited for. */
#ifndef RECORD_HOST_CHILD_H
#define RECORD_HOST_CHILD_H

#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"

struct child {
	pid_t pid;                   /* 0: none */
	int go;                      /* a byte lets it exec, end of file makes it go away */
	int failure;                 /* carries errno if exec fails, ends when it succeeds */
	int pidfd;                   /* readable when it has ended; -1 on kernels before 5.3 */
	int status;                  /* of wait(2) */
	struct rusage usage;         /* of the command and its children, once it is reaped */
	bool started, reaped;        /* it has become the program; it has ended and was waited for */
};

#define CHILD_NONE ((struct child){ .go = -1, .failure = -1, .pidfd = -1, .status = -1 })

/*
 * -SONDE_MISSING or -SONDE_DENIED if there is no such program, before anything else is done.
 * @quiet: what the command prints goes to standard error, because standard output carries the recording.
 */
int child_prepare(struct child *c, const char *const *argv, bool quiet, struct sonde_error *err);

/* -SONDE_SYSTEM or -SONDE_MISSING if the program cannot be executed. */
int child_start(struct child *c, const char *name, struct sonde_error *err);

/* Whether it has ended; does not wait. */
bool child_ended(struct child *c);

/* Sends SIGTERM if it still runs, and waits for it. Releases everything. */
void child_finish(struct child *c);

#endif
