/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/pseudonym.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"

#define WORD_MIN 6  /* shorter ones are found by chance in bytes that are no text, unless a NUL ends them */

static const char *const prefixes[NR_NAME_CLASSES] = {
	[NAME_COMM] = "comm-", [NAME_PATH] = "/dso-", [NAME_CGROUP] = "/cgroup-", [NAME_BPF] = "prog-",
	[NAME_TEXT] = "text-", [NAME_ARGUMENT] = "arg-", [NAME_HOST] = "host-",
};

static bool begins(const char *s, size_t len, const char *with)
{
	return len >= strlen(with) && memcmp(s, with, strlen(with)) == 0;
}

static bool is_kept_path(const char *s, size_t len)
{
	static const char *const kept[] = {
		"//", "/dev/zero", "/SYSV", "/anon_hugepage", "anon_inode:[", "/lib/modules/", "/usr/lib/modules/"
	};

	static const char *const of_kernel[] = {
		"[kernel", "[guest.", "[vdso", "[vsyscall]", "[vvar", "[vectors]", "[sigpage]", "[uprobes]", "[heap]",
		"[stack", "[anon]", "[unknown]", "[bpf]"
	};

	/* a program names its anonymous memory as it likes, and the kernel its modules */
	for (size_t i = 0; i < ARRAY_SIZE(of_kernel); i++)
		if (begins(s, len, of_kernel[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		if (begins(s, len, kept[i]))
			return true;
	return false;
}

bool pseudonym_keeps(enum name_class class, const char *name, size_t len)
{
	len = strnlen(name, len);
	if (len == 0)
		return true;
	switch (class) {
	case NAME_COMM:
		return begins(name, len, "swapper") || (len == 9 && begins(name, len, "perf-exec"));
	case NAME_PATH:
		return is_kept_path(name, len);
	case NAME_CGROUP:
		return len == 1 && name[0] == '/';
	default:
		return false;
	}
}

bool pseudonym_keeps_mapping(uint16_t misc, const char *name, size_t len)
{
	uint16_t mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	bool of_kernel = mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;

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
	return pool->names.n > before && number ? note_removed(&p->removed, strpool_get(pool, number)) : 0;
}

void pseudonyms_free(struct pseudonyms *p)
{
	for (size_t i = 0; i < NR_NAME_CLASSES; i++)
		strpool_free(&p->names[i]);
	multi_search_free(&p->removed);
}
