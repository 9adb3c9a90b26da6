/* SPDX-License-Identifier: MIT */
#include "record/host/pmu.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define DEVICES "%s/bus/event_source/devices"

/* A name becomes a part of a path: nothing that leads elsewhere. */
static bool name_ok(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

bool pmu_open(struct pmu *p, const char *sysfs, const char *name)
{
	char cpus[8];
	uint64_t type;
	int n;

	if (!name_ok(name) || strlen(name) >= sizeof(p->name))
		return false;
	n = snprintf(p->dir, sizeof(p->dir), DEVICES "/%s", sysfs, name);
	if (n < 0 || (size_t)n >= sizeof(p->dir) || !sysfile_u64(&type, "%s/type", p->dir) || type > UINT32_MAX)
		return false;
	strcpy(p->name, name);
	p->type = (uint32_t)type;
	p->core = !strcmp(name, "cpu") || !strcmp(name, "cpum_cf") ||
		  sysfile_read(cpus, sizeof(cpus), "%s/cpus", p->dir) >= 0;
	return true;
}

int pmu_all(struct arena *a, const char *sysfs, struct names *out)
{
	char dir[512];

	snprintf(dir, sizeof(dir), DEVICES, sysfs);
	return sysfile_list(a, dir, out);
}

int pmu_cores(struct arena *a, const char *sysfs, struct names *out)
{
	struct names all = { 0 };
	struct pmu p;
	int r = pmu_all(a, sysfs, &all);

	for (size_t i = 0; r == 0 && i < all.n; i++)
		if (pmu_open(&p, sysfs, all.at[i]) && p.core && vec_push(out, all.at[i]) < 0)
			r = -ENOMEM;
	vec_free(&all);
	return r;
}

bool pmu_is_piece(const char *pmu, const char *unit)
{
	size_t n = strlen(unit), digits;

	if (!strncmp(pmu, "uncore_", 7) && strncmp(unit, "uncore_", 7) != 0)
		pmu += 7;
	if (strncmp(pmu, unit, n) != 0 || (pmu[n] && pmu[n] != '_'))
		return false;
	if (!pmu[n])
		return true;
	digits = strspn(pmu + n + 1, "0123456789abcdef");
	if (digits == 0 || pmu[n + 1 + digits])
		return false;
	return digits >= 3 || strspn(pmu + n + 1, "0123456789") == digits;
}

int pmu_match(struct arena *a, const char *sysfs, const char *pattern, struct names *out)
{
	struct names all = { 0 };
	struct pmu exact;
	int r = 0;

	if (pmu_open(&exact, sysfs, pattern)) {
		const char *name = arena_strndup(a, pattern, strlen(pattern));

		return !name || vec_push(out, name) < 0 ? -ENOMEM : 0;
	}
	r = pmu_all(a, sysfs, &all);
	for (size_t i = 0; r == 0 && i < all.n; i++)
		if ((fnmatch(pattern, all.at[i], 0) == 0 || pmu_is_piece(all.at[i], pattern)) &&
		    vec_push(out, all.at[i]) < 0)
			r = -ENOMEM;
	vec_free(&all);
	return r;
}

bool pmu_format_parse(const char *text, struct pmu_format *out)
{
	struct pmu_format f = { 0 };
	const char *p = text;

	if (strncmp(p, "config", 6) != 0)
		return false;
	p += 6;
	if (*p >= '0' && *p <= '4')
		f.word = (uint8_t)(*p++ - '0');
	if (*p++ != ':')
		return false;
	for (;;) {
		char *end;
		unsigned long first = strtoul(p, &end, 10), last = first;

		if (end == p)
			return false;
		if (*end == '-') {
			p = end + 1;
			last = strtoul(p, &end, 10);
			if (end == p)
				return false;
		}
		if (first > last || last > 63)
			return false;
		f.mask |= (last - first == 63 ? UINT64_MAX : (UINT64_C(1) << (last - first + 1)) - 1) << first;
		if (*end != ',')
			break;
		p = end + 1;
	}
	*out = f;
	return true;
}

bool pmu_format(const struct pmu *p, const char *term, struct pmu_format *out)
{
	char text[256];

	return name_ok(term) && sysfile_read(text, sizeof(text), "%s/format/%s", p->dir, term) > 0 &&
	       pmu_format_parse(text, out);
}

uint64_t pmu_config_bits(const struct pmu *p, const char *term)
{
	struct pmu_format f;

	return pmu_format(p, term, &f) && f.word == 0 ? f.mask : 0;
}

bool pmu_format_apply(const struct pmu_format *f, uint64_t v, uint64_t words[5])
{
	int width = __builtin_popcountll(f->mask);

	if (width < 64 && v >> width)
		return false;
	for (int bit = 0, i = 0; bit < 64; bit++) {
		uint64_t m = UINT64_C(1) << bit;

		if (f->mask & m)
			words[f->word] = (words[f->word] & ~m) | (v >> i++ & 1 ? m : 0);
	}
	return true;
}

bool pmu_event(const struct pmu *p, const char *name, char *out, size_t cap)
{
	return name_ok(name) && sysfile_read(out, cap, "%s/events/%s", p->dir, name) > 0;
}

int pmu_events(const struct pmu *p, struct arena *a, struct names *out)
{
	char dir[600];
	size_t kept = out->n;
	int r;

	snprintf(dir, sizeof(dir), "%s/events", p->dir);
	r = sysfile_list(a, dir, out);
	for (size_t i = kept; r == 0 && i < out->n; i++) {
		const char *dot = strrchr(out->at[i], '.');

		if (!dot || (strcmp(dot, ".unit") != 0 && strcmp(dot, ".scale") != 0 &&
			     strcmp(dot, ".per-pkg") != 0 && strcmp(dot, ".snapshot") != 0))
			out->at[kept++] = out->at[i];
	}
	out->n = r == 0 ? kept : out->n;
	return r;
}

void pmu_terms(const struct pmu *p, char *out, size_t cap)
{
	struct arena a = { 0 };
	struct names names = { 0 };
	char dir[600];
	size_t n = 0;

	out[0] = '\0';
	snprintf(dir, sizeof(dir), "%s/format", p->dir);
	sysfile_list(&a, dir, &names);
	for (size_t i = 0; i < names.n && n < cap; i++)
		n += (size_t)snprintf(out + n, cap - n, "%s%s", i ? "," : "", names.at[i]);
	vec_free(&names);
	arena_free(&a);
}
