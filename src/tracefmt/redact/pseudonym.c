/* SPDX-License-Identifier: MIT */
#include "tracefmt/redact/pseudonym.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/err.h"

#define WORD_MIN 6  /* shorter ones are found by chance in bytes that are no text, unless a NUL ends them */

static const char *const prefixes[NR_NAME_CLASSES] = {
	[NAME_COMM] = "comm-", [NAME_PATH] = "/dso-", [NAME_CGROUP] = "/cgroup-", [NAME_BPF] = "prog-",
	[NAME_TEXT] = "text-", [NAME_ARGUMENT] = "arg-", [NAME_HOST] = "host-",
	[NAME_BUFFER] = "buffer-", [NAME_PROBE] = "probe_", [NAME_PROBES] = "probes_", [NAME_VARIABLE] = "var_",
};

static bool begins(const char *s, size_t len, const char *with)
{
	return len >= strlen(with) && memcmp(s, with, strlen(with)) == 0;
}

/* A row ends in '*' where the kernel puts something behind it, else it is the whole name. */
static bool is_one_of(const char *s, size_t len, const char *const *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t row = strlen(rows[i]);

		if (rows[i][row - 1] == '*' ? len >= row - 1 && memcmp(s, rows[i], row - 1) == 0 :
					      len == row && memcmp(s, rows[i], row) == 0)
			return true;
	}
	return false;
}

/* A program names its anonymous memory as it likes, and the kernel its modules. */
static bool is_kept_path(const char *s, size_t len)
{
	static const char *const kept[] = {
		"/", "//anon", "//toolong", "//enomem", "/dev/zero", "/SYSV*", "/anon_hugepage", "anon_inode:[*",
		"/lib/modules/*", "/usr/lib/modules/*", "[kernel*", "[guest.*", "[vdso*", "[vsyscall]", "[vvar*",
		"[vectors]", "[sigpage]", "[uprobes]", "[heap]", "[stack*", "[anon]", "[unknown]", "[bpf]"
	};
	static const char deleted[] = " (deleted)";
	size_t n = strlen(deleted);

	if (len > n && memcmp(s + len - n, deleted, n) == 0)
		len -= n;
	return is_one_of(s, len, kept, ARRAY_SIZE(kept));
}

/* "swapper", and "swapper/1" of a CPU. */
static bool is_idle(const char *s, size_t len)
{
	size_t n = strlen("swapper");

	if (!begins(s, len, "swapper") || len == n)
		return len == n && begins(s, len, "swapper");
	for (size_t i = n + 1; i < len; i++)
		if (!is_digit(s[i]))
			return false;
	return s[n] == '/' && len > n + 1;
}

bool pseudonym_keeps(enum name_class class, const char *name, size_t len)
{
	len = strnlen(name, len);
	if (len == 0)
		return true;
	switch (class) {
	case NAME_COMM:
		return is_idle(name, len) || (len == 9 && begins(name, len, "perf-exec"));
	case NAME_PATH:
		return is_kept_path(name, len);
	case NAME_CGROUP:
		return len == 1 && name[0] == '/';
	default:
		return false;
	}
}

bool pseudonym_keeps_mapping(bool of_kernel, const char *name, size_t len)
{
	return pseudonym_keeps(NAME_PATH, name, len) || (of_kernel && begins(name, strnlen(name, len), "["));
}

static bool is_pseudonym(const char *s, size_t len)
{
	for (size_t i = 0; i < NR_NAME_CLASSES; i++) {
		size_t n = strlen(prefixes[i]);

		if (len > n && begins(s, len, prefixes[i]) && strspn(s + n, "0123456789") >= len - n)
			return true;
	}
	return false;
}

static int note_word(struct multi_search *n, const char *s, size_t len)
{
	return multi_search_add(n, s, len, len >= WORD_MIN ? SEARCH_WORD : SEARCH_STRING);
}

/* A path, its last part, and whose home it is in. */
static int note_path(struct multi_search *n, const char *s, size_t len)
{
	const char *last = strrchr(s, '/') + 1, *home = begins(s, len, "/home/") ? s + 6 : NULL;

	if (multi_search_add(n, s, len, SEARCH_ANYWHERE) < 0 || note_word(n, last, strlen(last)) < 0)
		return -SONDE_NOMEM;
	return home ? note_word(n, home, strcspn(home, "/")) : 0;
}

/* @s is NUL-terminated. */
static int note_removed(struct multi_search *n, const char *s)
{
	size_t len = strlen(s);

	if (is_pseudonym(s, len))
		return 0;
	return s[0] == '/' && len >= WORD_MIN && strchr(s + 1, '/') ? note_path(n, s, len) : note_word(n, s, len);
}

int pseudonym_of(struct pseudonyms *p, enum name_class class, const char *name, size_t len, char out[PSEUDONYM_BYTES])
{
	struct strpool *pool = &p->names[class];
	size_t before = pool->names.n;
	uint32_t number = strpool_add(pool, name, len);

	if (number == UINT32_MAX)
		return -SONDE_NOMEM;
	snprintf(out, PSEUDONYM_BYTES, "%s%u", prefixes[class], number);
	/* variables have names like "line", and stand in descriptions only */
	if (pool->names.n == before || !number || class == NAME_VARIABLE)
		return 0;
	return note_removed(&p->removed, strpool_get(pool, number));
}

int pseudonym_overwrite(struct pseudonyms *p, enum name_class class, char *text, size_t room)
{
	char other[PSEUDONYM_BYTES];
	size_t n;

	if (pseudonym_keeps(class, text, room)) {
		n = strnlen(text, room);
		memset(text + n, 0, room - n);
		return 0;
	}
	if (pseudonym_of(p, class, text, room, other) < 0)
		return -SONDE_NOMEM;
	n = strlen(other) < room ? strlen(other) : room - 1;
	memset(text, 0, room);
	memcpy(text, other + strlen(other) - n, n);
	return 0;
}

void pseudonyms_free(struct pseudonyms *p)
{
	for (size_t i = 0; i < NR_NAME_CLASSES; i++)
		strpool_free(&p->names[i]);
	multi_search_free(&p->removed);
}
