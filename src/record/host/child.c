/* SPDX-License-Identifier: MIT */
#include "record/host/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* 0 or an errno: what exec would say of it. */
static int try_program(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	return !S_ISREG(st.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 ? EACCES : 0;
}

/* Looks where execvp() will look: 0 or an errno. */
static int find_program(const char *name)
{
	const char *dirs = getenv("PATH"), *end;
	int why = ENOENT;

	if (!*name || strchr(name, '/'))
		return try_program(name);
	if (!dirs)
		return 0;            /* the places that execvp() has for this are its own */
	for (;; dirs = end + 1) {
		char path[PATH_MAX];
		int e;

		end = strchrnul(dirs, ':');
		if (snprintf(path, sizeof(path), "%.*s%s%s", (int)(end - dirs), dirs, end > dirs ? "/" : "", name) <
		    (int)sizeof(path)) {
			e = try_program(path);
			if (e == 0)
				return 0;
			why = e == EACCES ? e : why;
		}
		if (!*end)
			return why;
	}
}

static int cannot_execute(const char *name, int why, struct sonde_error *err)
{
	if (why == ENOENT)
		return err_set(err, SONDE_MISSING, SONDE_NONE, "there is no program '%.200s'", name);
	return err_sys(err, why, "cannot execute '%.200s'", name);
}

/* In the new process: nothing here may allocate or lock. */
static void become(const char *const *argv, bool quiet, int go, int failure, const sigset_t *mask)
{
	ssize_t r;
	int e;
	char c;

	prctl(PR_SET_NAME, "sonde-exec");
	do
		r = read(go, &c, 1);
	while (r < 0 && errno == EINTR);
	if (r != 1)
		_exit(127);          /* the recorder has given up */
	if (quiet)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], (char *const *)argv);
	e = errno;
	r = write(failure, &e, sizeof(e));
	_exit(r == (ssize_t)sizeof(e) ? 127 : 126);
}

int child_prepare(struct child *c, const char *const *argv, bool quiet, struct sonde_error *err)
{
	int go[2] = { -1, -1 }, failure[2] = { -1, -1 };
	sigset_t all, mask;
	pid_t pid;
	int why = find_program(argv[0]);

	*c = CHILD_NONE;
	if (why)
		return cannot_execute(argv[0], why, err);
	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(failure, O_CLOEXEC) < 0) {
		int e = errno;

		close(go[0]);
		close(go[1]);
		return err_sys(err, e, "cannot make a pipe");
	}
	/* A signal meant for the recorder must not run its handlers in the child before exec has removed them. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		become(argv, quiet, go[0], failure[1], &mask);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(go[0]);
	close(failure[1]);
	if (pid < 0) {
		int e = errno;

		close(go[1]);
		close(failure[0]);
		return err_sys(err, e, "cannot start a process");
	}
	c->pid = pid;
	c->go = go[1];
	c->failure = failure[0];
	c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (c->pidfd >= 0)
		fcntl(c->pidfd, F_SETFD, FD_CLOEXEC);
	return 0;
}

int child_start(struct child *c, const char *name, struct sonde_error *err)
{
	ssize_t r;
	int e;

	r = write(c->go, "g", 1);
	if (r != 1)
		return err_sys(err, errno, "cannot start %s", name);
	do
		r = read(c->failure, &e, sizeof(e));
	while (r < 0 && errno == EINTR);
	if (r == (ssize_t)sizeof(e))
		return cannot_execute(name, e, err);
	c->started = true;
	return 0;
}

bool child_ended(struct child *c)
{
	if (c->pid > 0 && !c->reaped && wait4(c->pid, &c->status, WNOHANG, &c->usage) == c->pid)
		c->reaped = true;
	return c->reaped;
}

void child_finish(struct child *c)
{
	if (c->go >= 0)
		close(c->go);
	if (c->failure >= 0)
		close(c->failure);
	if (c->pid > 0 && !child_ended(c)) {
		kill(c->pid, SIGTERM);
		while (wait4(c->pid, &c->status, 0, &c->usage) < 0 && errno == EINTR)
			;
		c->reaped = true;
	}
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->go = c->failure = c->pidfd = -1;
}
