/* SPDX-License-Identifier: MIT */
#include "record/event/sdt_args.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGISTER_MAX 8
#define OPERAND_MAX 64

#if defined(__x86_64__)
/* %edi, %rdi, %di and %dil are %di to the kernel; %r8d, %r8w and %r8b are %r8. False for other names. */
static bool kernel_register(const char *name, size_t n, char out[REGISTER_MAX])
{
	static const char *const letters[] = { "ax", "bx", "cx", "dx", "si", "di", "bp", "sp" };
	char text[REGISTER_MAX] = "";
	int number, end = 0;

	if (n < 2 || n >= sizeof(text))
		return false;
	memcpy(text, name, n);
	if (sscanf(text, "r%d%n", &number, &end) == 1 && number >= 8 && number <= 15 &&
	    (!text[end] || (strchr("dwb", text[end]) && !text[end + 1]))) {
		snprintf(out, REGISTER_MAX, "r%d", number);
		return true;
	}
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		const char *l = letters[i];
		const char low[] = { l[0], 'l', '\0' }, byte[] = { l[0], l[1], 'l', '\0' };
		const char *tail = *text == 'r' || *text == 'e' ? text + 1 : text;

		if (strcmp(tail, l) != 0 && strcmp(text, l[1] == 'x' ? low : byte) != 0)
			continue;
		strcpy(out, l);
		return true;
	}
	return false;
}

static bool kernel_operand(const char *text, char out[OPERAND_MAX])
{
	char reg[REGISTER_MAX], *end;
	long long distance;

	if (*text == '%') {
		if (!kernel_register(text + 1, strlen(text + 1), reg))
			return false;
		snprintf(out, OPERAND_MAX, "%%%s", reg);
		return true;
	}
	distance = strtoll(text + (*text == '$'), &end, 0);
	if (*text == '$') {
		snprintf(out, OPERAND_MAX, "\\%lld", distance);
		return end > text + 1 && !*end;
	}
	if (strncmp(end, "(%", 2) != 0 || end[strlen(end) - 1] != ')' ||
	    !kernel_register(end + 2, strlen(end) - 3, reg))
		return false;
	snprintf(out, OPERAND_MAX, "%+lld(%%%s)", distance, reg);
	return true;
}

/* "-4@%edi": a signed number of 4 bytes. */
static bool kernel_arg(const char *text, char *out, size_t size, unsigned nr)
{
	char operand[OPERAND_MAX], *end;
	long bytes = strtol(text, &end, 10), abs = bytes < 0 ? -bytes : bytes;

	if (end == text || *end != '@' || (abs != 1 && abs != 2 && abs != 4 && abs != 8) ||
	    !kernel_operand(end + 1, operand))
		return false;
	snprintf(out, size, "arg%u=%s:%c%ld", nr, operand, bytes < 0 ? 's' : 'u', 8 * abs);
	return true;
}
#else
static bool kernel_arg(const char *text, char *out, size_t size, unsigned nr)
{
	(void)text, (void)out, (void)size, (void)nr;
	return false;
}
#endif

void sdt_args(const char *text, char *out, size_t size)
{
	size_t n = 0;

	*out = '\0';
	for (unsigned nr = 1; *text; nr++) {
		size_t length = strcspn(text, " ");
		char word[OPERAND_MAX], arg[2 * OPERAND_MAX];

		snprintf(word, sizeof(word), "%.*s", (int)(length < sizeof(word) ? length : 0), text);
		if (kernel_arg(word, arg, sizeof(arg), nr) && n + strlen(arg) + 2 < size)
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? " " : "", arg);
		text += length + strspn(text + length, " ");
	}
}
