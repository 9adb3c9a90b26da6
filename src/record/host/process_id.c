/* SPDX-License-Identifier: MIT */
#include "record/host/process_id.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/host/sysfile.h"

/* When a process was started, in ticks since boot; 0 if there is none, or only its entry until somebody has waited for
 * it. */
static unsigned long long start_of(long pid)
{
	char text[1024], *p;
	unsigned long long start = 0;

	if (sysfile_read(text, sizeof(text), "/proc/%ld/stat", pid) <= 0)
		return 0;
	p = strrchr(text, ')');      /* a name may have blanks and parentheses */
	if (p && (!strncmp(p, ") Z", 3) || !strncmp(p, ") X", 3)))
		return 0;
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (p)
		sscanf(p, " %llu", &start);
	return start;
}

static unsigned long long pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? (unsigned long long)st.st_ino : 0;
}

struct process_id process_id_own(void)
{
	long pid = (long)getpid();

	return (struct process_id){ pid, start_of(pid), pid_namespace() };
}

bool process_id_is_dead(const struct process_id *id)
{
	return id->namespace == pid_namespace() && start_of(id->pid) != id->start;
}
