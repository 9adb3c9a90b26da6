/* SPDX-License-Identifier: MIT */
#include "symbol/process_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/boot_time.h"

enum { STATUS_LINE = 512 };

/* The fields of a line of /proc/PID/status, behind its word and a tab; false if the process has ended. */
static bool status_line(int32_t pid, const char *word, char line[STATUS_LINE])
{
	size_t len = strlen(word);
	char path[64];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && fgets(line, STATUS_LINE, f))
		found = !strncmp(line, word, len) && line[len] == '\t';
	fclose(f);
	if (found)
		memmove(line, line + len + 1, strlen(line + len + 1) + 1);
	return found;
}

/* The number of the process in its own namespace, the last one of the line; 0 if the process has ended. */
static long inner_pid(int32_t pid)
{
	char line[STATUS_LINE], *last;

	if (!status_line(pid, "NSpid:", line))
		return 0;
	last = strrchr(line, '\t');
	return strtol(last ? last + 1 : line, NULL, 10);
}

/* When the process began; -1: not known. The second field of stat is its name in parentheses, which it chooses. */
static int64_t began_s(int32_t pid)
{
	char line[1024], path[64], *p;
	unsigned long long ticks;
	int64_t boot_s = boot_time_s();
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	n = fread(line, 1, sizeof(line) - 1, f);
	fclose(f);
	line[n] = 0;
	p = strrchr(line, ')');
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (!p || boot_s < 0 || sscanf(p, "%llu", &ticks) != 1)
		return -1;
	return boot_s + (int64_t)(ticks / (unsigned long)sysconf(_SC_CLK_TCK));
}

static bool has_other_files(int32_t pid)
{
	char path[64], its[64], ours[64];
	ssize_t n, m;

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", pid);
	n = readlink(path, its, sizeof(its));
	m = readlink("/proc/self/ns/mnt", ours, sizeof(ours));
	return n > 0 && m > 0 && (n != m || memcmp(its, ours, (size_t)n) != 0);
}

/* Whether the process is another one than that of the recording. */
static bool is_later(int32_t pid, int64_t recorded_s)
{
	return recorded_s && began_s(pid) > recorded_s + 1;
}

bool process_map_path(char path[PATH_MAX], int32_t pid, const char *map_dir, int64_t recorded_s)
{
	long inner = pid > 0 ? inner_pid(pid) : 0;

	if (!inner || (inner == pid && !has_other_files(pid)) || is_later(pid, recorded_s))
		return false;
	return snprintf(path, PATH_MAX, "/proc/%d/root%s/perf-%ld.map", pid, map_dir, inner) < PATH_MAX;
}

bool process_file_path(char path[PATH_MAX], int32_t pid, const char *name, int64_t recorded_s)
{
	return pid > 0 && has_other_files(pid) && !is_later(pid, recorded_s) &&
	       snprintf(path, PATH_MAX, "/proc/%d/root%s", pid, name) < PATH_MAX;
}

bool process_user(int32_t pid, int64_t recorded_s, uid_t *user)
{
	char line[STATUS_LINE];
	unsigned real, effective;

	if (pid <= 0 || is_later(pid, recorded_s) || !status_line(pid, "Uid:", line) ||
	    sscanf(line, "%u %u", &real, &effective) != 2)
		return false;
	*user = effective;
	return true;
}
