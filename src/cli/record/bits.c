/* SPDX-License-Identifier: MIT */
#include "cli/record/bits.h"

#include <sonde/perf_recorder.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/base/command.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Adds the bit of each word of a comma-separated list. */
struct bit_name {
	const char *name;
	uint8_t bit;
};

/* "AX BX CX" */
static const char *list_bits(const struct bit_name *names, size_t nr, char *text, size_t size)
{
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < nr && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, "%s%s", i ? " " : "", names[i].name);
	return text;
}

static int parse_bits(const char *option, const char *arg, const struct bit_name *names, size_t nr, uint64_t *out)
{
	for (const char *p = arg; *p;) {
		size_t len = strcspn(p, ","), i;

		for (i = 0; i < nr; i++)
			if (strlen(names[i].name) == len && !strncasecmp(p, names[i].name, len))
				break;
		if (i == nr) {
			char known[512];

			say_usage("%s: there is no '%.*s' among %s", option, (int)len, p,
				  list_bits(names, nr, known, sizeof(known)));
			return -SONDE_USAGE;
		}
		*out |= UINT64_C(1) << names[i].bit;
		p += len + (p[len] == ',');
	}
	return 0;
}

int branch_bits(const char *option, const char *arg, uint64_t *out)
{
	const char *bad, *name;
	char known[512] = "";
	size_t n = 0;

	if (sonde_branch_filter_parse(arg, out, &bad) == 0)
		return 0;
	for (size_t i = 0; (name = sonde_branch_filter_at(i)) && n < sizeof(known); i++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s", i ? " " : "", name);
	say_usage("%s: there is no '%.*s' among %s", option, (int)strcspn(bad, ","), bad, known);
	return -SONDE_USAGE;
}

/* Numbers of <asm/perf_regs.h>. */
static const struct bit_name register_names[] = {
#if defined(__x86_64__) || defined(__i386__)
	{ "AX", 0 },   { "BX", 1 },   { "CX", 2 },    { "DX", 3 },   { "SI", 4 },   { "DI", 5 },   { "BP", 6 },
	{ "SP", 7 },   { "IP", 8 },   { "FLAGS", 9 }, { "CS", 10 },  { "SS", 11 },  { "R8", 16 },  { "R9", 17 },
	{ "R10", 18 }, { "R11", 19 }, { "R12", 20 },  { "R13", 21 }, { "R14", 22 }, { "R15", 23 },
#elif defined(__aarch64__)
	{ "X0", 0 },   { "X1", 1 },   { "X2", 2 },   { "X3", 3 },   { "X4", 4 },   { "X5", 5 },   { "X6", 6 },
	{ "X7", 7 },   { "X8", 8 },   { "X9", 9 },   { "X10", 10 }, { "X11", 11 }, { "X12", 12 }, { "X13", 13 },
	{ "X14", 14 }, { "X15", 15 }, { "X16", 16 }, { "X17", 17 }, { "X18", 18 }, { "X19", 19 }, { "X20", 20 },
	{ "X21", 21 }, { "X22", 22 }, { "X23", 23 }, { "X24", 24 }, { "X25", 25 }, { "X26", 26 }, { "X27", 27 },
	{ "X28", 28 }, { "X29", 29 }, { "LR", 30 },  { "SP", 31 },  { "PC", 32 },
#else
	{ "", 0 },
#endif
};

int register_bits(const char *option, const char *arg, uint64_t *out)
{
	if (arg)
		return parse_bits(option, arg, register_names, COUNT(register_names), out);
	for (size_t i = 0; i < COUNT(register_names); i++)
		*out |= UINT64_C(1) << register_names[i].bit;
	return 0;
}

const char *register_list(void)
{
	static char text[512];

	return list_bits(register_names, COUNT(register_names), text, sizeof(text));
}
