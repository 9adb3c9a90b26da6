/* SPDX-License-Identifier: MIT */
#include "record/host/sysfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CPU_MAX 65535

static ssize_t read_text(char *out, size_t cap, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t r = 0;

	if (fd < 0)
		return -errno;
	while (n < cap - 1 && (r = read(fd, out + n, cap - 1 - n)) > 0)
		n += (size_t)r;
	if (r < 0)
		r = -errno;
	close(fd);
	if (r < 0)
		return r;
	if (n > 0 && out[n - 1] == '\n')
		n--;
	out[n] = '\0';
	return (ssize_t)n;
}

ssize_t sysfile_read(char *out, size_t cap, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	return read_text(out, cap, path);
}

bool sysfile_u64(uint64_t *out, const char *fmt, ...)
{
	char path[PATH_MAX], text[64], *end;
	va_list ap;
	uint64_t v;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(path) || read_text(text, sizeof(text), path) <= 0)
		return false;
	errno = 0;
	v = strtoull(text, &end, 0);
	if (errno || *end)
		return false;
	*out = v;
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int sysfile_list(struct arena *a, const char *dir, struct names *out)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t first = out->n;

	if (!d)
		return -errno;
	while ((e = readdir(d))) {
		const char *name;

		if (e->d_name[0] == '.')
			continue;
		name = arena_strndup(a, e->d_name, strlen(e->d_name));
		if (!name || vec_push(out, name) < 0) {
			closedir(d);
			return -ENOMEM;
		}
	}
	closedir(d);
	if (out->n > first)
		qsort(out->at + first, out->n - first, sizeof(*out->at), by_name);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static void sort_unique(struct cpus *c)
{
	size_t n = 0;

	if (c->n == 0)
		return;
	qsort(c->at, c->n, sizeof(*c->at), by_number);
	for (size_t i = 0; i < c->n; i++)
		if (n == 0 || c->at[n - 1] != c->at[i])
			c->at[n++] = c->at[i];
	c->n = n;
}

int cpus_parse(struct cpus *out, const char *text)
{
	const char *p = text;

	do {
		char *end;
		unsigned long first, last;

		if (*p < '0' || *p > '9')
			return -SONDE_USAGE;
		first = last = strtoul(p, &end, 10);
		if (*end == '-') {
			p = end + 1;
			if (*p < '0' || *p > '9')
				return -SONDE_USAGE;
			last = strtoul(p, &end, 10);
		}
		if (first > last || last > CPU_MAX || (*end && *end != ','))
			return -SONDE_USAGE;
		for (unsigned long cpu = first; cpu <= last; cpu++)
			if (vec_push(out, (int32_t)cpu) < 0)
				return -SONDE_NOMEM;
		p = *end ? end + 1 : end;
		if (!*end)
			break;
	} while (1);
	sort_unique(out);
	return 0;
}

int cpus_online(struct cpus *out, const char *sysfs)
{
	char text[4096];

	if (sysfile_read(text, sizeof(text), "%s/devices/system/cpu/online", sysfs) > 0 && cpus_parse(out, text) == 0)
		return 0;
	out->n = 0;
	for (int32_t cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
		if (vec_push(out, cpu) < 0)
			return -SONDE_NOMEM;
	return 0;
}
