/* SPDX-License-Identifier: MIT */
#include "record/host/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int proc_lines(const char *text, size_t n, int (*fn)(void *ctx, const char *line, size_t len), void *ctx)
{
	const char *end = text + n;
	int r = 0;

	while (r == 0 && text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		size_t len = (size_t)((eol ? eol : end) - text);

		r = fn(ctx, text, len);
		text += len + 1;
	}
	return r;
}

/* The kernel writes a newline as "\n" and a backslash as "\\" there. */
static void unescape(char *out, size_t cap, const char *p, const char *end)
{
	size_t n = 0;

	for (; p < end && n < cap - 1; p++) {
		if (*p == '\\' && p + 1 < end) {
			p++;
			out[n++] = *p == 'n' ? '\n' : *p;
		} else {
			out[n++] = *p;
		}
	}
	out[n] = '\0';
}

static const char *field(const char *text, const char *name)
{
	const char *p = strstr(text, name);

	return p ? p + strlen(name) : NULL;
}

bool proc_parse_status(const char *text, struct proc_status *out)
{
	const char *tgid = field(text, "\nTgid:"), *ppid = field(text, "\nPPid:"), *end = strchr(text, '\n');

	if (strncmp(text, "Name:\t", 6) != 0 || !end || !tgid || !ppid)
		return false;
	unescape(out->name, sizeof(out->name), text + 6, end);
	out->tgid = (int32_t)strtol(tgid, NULL, 10);
	out->ppid = (int32_t)strtol(ppid, NULL, 10);
	out->has_memory = field(text, "\nVmPeak:") != NULL || field(text, "\nVmSize:") != NULL;
	return true;
}

bool proc_parse_map(const char *line, size_t len, struct proc_map *out)
{
	unsigned long long start, end, pgoff, ino;
	char text[160], perms[5];
	unsigned maj, min;
	int at = 0;

	snprintf(text, sizeof(text), "%.*s", (int)(len < sizeof(text) ? len : sizeof(text) - 1), line);
	if (sscanf(text, "%llx-%llx %4s %llx %x:%x %llu%n", &start, &end, perms, &pgoff, &maj, &min, &ino, &at) != 7 ||
	    at == 0 || end <= start)
		return false;
	while ((size_t)at < len && line[at] == ' ')
		at++;
	*out = (struct proc_map){
		.start = start, .end = end, .pgoff = pgoff, .ino = ino, .maj = maj, .min = min,
		.prot = (uint32_t)((perms[0] == 'r' ? PROT_READ : 0) | (perms[1] == 'w' ? PROT_WRITE : 0) |
				   (perms[2] == 'x' ? PROT_EXEC : 0)),
		.flags = perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE,
		.name = { line + at, len - (size_t)at },
	};
	return true;
}

/* Other architectures count more than the bytes from _text to _etext as "Kernel code". */
#if defined(__x86_64__) || defined(__i386__)
#define CODE_IS_TEXT true
#else
#define CODE_IS_TEXT false
#endif

/* The bytes from _text to _etext, 0 if hidden. A line: "  01000000-0220bb07 : Kernel code". */
static uint64_t code_bytes(const char *iomem)
{
	unsigned long long from = 0, to = 0;
	char line[256];
	FILE *f = CODE_IS_TEXT ? fopen(iomem, "re") : NULL;

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, " : Kernel code\n") && sscanf(line, " %llx-%llx", &from, &to) == 2)
			break;
	if (f)
		fclose(f);
	return from && to > from ? to - from + 1 : 0;
}

/* Lines: "ffffffff81000000 T _text", with "\t[module]" after what is not of the kernel itself. */
bool proc_kernel(const char *kallsyms, const char *iomem, struct proc_kernel *out)
{
	struct proc_kernel k = { 0 };
	char line[512];
	FILE *f = fopen(kallsyms, "re");

	if (!f)
		return false;
	while (!k.end && !(k.symbol && !k.addr) && fgets(line, sizeof(line), f)) {
		char *end;
		unsigned long long addr = strtoull(line, &end, 16);
		const char *name = *end ? end + 3 : "";

		if (strchr(name, '['))
			break;
		if (!strcmp(name, "_text\n")) {
			uint64_t bytes = code_bytes(iomem);

			/* _etext is 40 ms away: the kernel unpacks the symbols as they are read. */
			k = (struct proc_kernel){ .symbol = "_text", .addr = addr, .end = bytes ? addr + bytes : 0 };
		} else if (!k.symbol && !strcmp(name, "_stext\n")) {
			k = (struct proc_kernel){ .symbol = "_stext", .addr = addr };
		} else if (!strcmp(name, "_etext\n")) {
			k.end = addr;
		}
	}
	fclose(f);
	if (!k.symbol || k.end < k.addr)
		return false;
	*out = k;
	return true;
}

bool proc_parse_module(const char *line, size_t len, struct proc_module *out)
{
	unsigned long long size, addr;
	char text[512], name[64];

	/* name size users dependencies state address */
	snprintf(text, sizeof(text), "%.*s", (int)(len < sizeof(text) ? len : sizeof(text) - 1), line);
	if (sscanf(text, "%63s %llu %*s %*s %*s %llx", name, &size, &addr) != 3)
		return false;
	memcpy(out->name, name, sizeof(name));
	out->size = size;
	out->addr = addr;
	return true;
}
