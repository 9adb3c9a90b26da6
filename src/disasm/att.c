/* SPDX-License-Identifier: MIT */
#include "disasm/att.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/bytes.h"

static bool is_one_of(const char *name, size_t len, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(list[i]) == len && memcmp(list[i], name, len) == 0)
			return true;
	return false;
}

static bool is_shift(const char *name)
{
	return strncmp(name, "sh", 2) == 0 || strncmp(name, "sa", 2) == 0 || strncmp(name, "ro", 2) == 0 ||
	       strncmp(name, "rc", 2) == 0;
}

/* Is a register an operand by itself, so that it tells the size? A count of bits and a segment do not. */
static bool has_register(const char *name, const char *operands)
{
	int depth = 0;

	for (const char *p = operands; *p; p++) {
		depth += (*p == '(') - (*p == ')');
		if (*p != '%' || depth || (p[1] && p[2] == 's' && p[3] == ':') ||
		    (p == operands && is_shift(name) && strncmp(p, "%cl,", 4) == 0))
			continue;
		return true;
	}
	return false;
}

/* Is there a register of 64 bits outside of parentheses? */
static bool has_wide_register(const char *operands)
{
	int depth = 0;

	for (const char *p = operands; *p; p++) {
		depth += (*p == '(') - (*p == ')');
		if (!depth && p[0] == '%' && p[1] == 'r')
			return true;
	}
	return false;
}

/* The length of a name without the letter of its size, where objdump leaves that out. */
static size_t name_length(const char *name, const char *operands)
{
	static const char *const always[] = { "call", "jmp", "leave", "ret", "movabs", "lcall", "ljmp", "push", "pop" };
	static const char *const with_register[] = {
		"mov", "add", "sub", "and", "or", "xor", "cmp", "test", "lea", "shl", "shr", "sar", "sal", "rol", "ror",
		"rcl", "rcr", "imul", "mul", "div", "idiv", "not", "neg", "inc", "dec", "adc", "sbb", "xchg", "bt",
		"bts", "btr", "btc", "cmpxchg", "xadd", "bsf", "bsr", "tzcnt", "lzcnt", "popcnt", "shld", "shrd",
		"bswap", "cvtsi2sd", "cvtsi2ss", "cvttsd2si", "cvttss2si", "cvtsd2si", "cvtss2si", "in", "out", "stos",
		"lods", "scas", "andn", "sarx", "shlx", "shrx", "rorx", "bzhi", "bextr", "blsr", "blsi", "blsmsk",
		"pdep", "pext", "mulx", "adcx", "adox", "crc32",
	};
	size_t n = strlen(name);
	char last = n > 2 ? name[n - 1] : '\0';

	if ((last != 'b' && last != 'w' && last != 'l' && last != 'q') ||
	    (strcmp(name, "movq") == 0 && strstr(operands, "mm")))
		return n;
	if (strncmp(name, "cmov", 4) == 0 || is_one_of(name, n - 1, always, ARRAY_SIZE(always)))
		return n - 1;
	return is_one_of(name, n - 1, with_register, ARRAY_SIZE(with_register)) && has_register(name, operands) ?
		n - 1 : n;
}

/* Text of a fixed size while it is made. */
struct att_text {
	char *p;
	size_t n, size;
};

static void put(struct att_text *t, const char *s, size_t n)
{
	size_t room = t->size - 1 - t->n;

	n = n < room ? n : room;
	memcpy(t->p + t->n, s, n);
	t->n += n;
	t->p[t->n] = '\0';
}

static void put_str(struct att_text *t, const char *s)
{
	put(t, s, strlen(s));
}

/* A number outside of parentheses, in hexadecimal digits; the place after it. @size: of a negative one, in bytes */
static const char *put_number(struct att_text *t, const char *p, uint8_t size)
{
	char hex[24];
	char *end;
	bool negative = *p == '-';
	unsigned long long n = strtoull(p + negative, &end, 0);

	if (negative)
		n = size < 8 ? (1ULL << 8 * size) - n : 0 - n;
	snprintf(hex, sizeof(hex), "0x%llx", n);
	put_str(t, hex);
	return end;
}

/* "(%rax, %rbx)": the scale is always written, and so is a displacement without a base. The place after it. */
static const char *put_memory(struct att_text *t, const char *p, bool has_displacement)
{
	int commas = 0, registers = 0;

	if ((p[1] == ',' || has_displacement) && !(t->n && is_xdigit(t->p[t->n - 1])))
		put_str(t, "0x0");
	for (; *p && *p != ')'; p++) {
		if (*p == ' ')
			continue;
		commas += *p == ',';
		registers += *p == '%';
		put(t, p, 1);
	}
	if (commas == 1 && registers == 2)
		put_str(t, ",1");
	if (*p)
		put(t, p++, 1);
	return p;
}

static bool begins_number(const char *operands, const char *p)
{
	char before = p > operands ? p[-1] : ' ';

	return *p >= '0' && *p <= '9' && strchr(" ,$-*:", before);
}

void att_write(char *mnemonic, size_t mnemonic_size, char *operands, size_t operands_size,
	       const struct att_source *from)
{
	const char *space = strrchr(from->name, ' '), *last = space ? space + 1 : from->name;
	const char *text = from->operands, *p = text;
	struct att_text out = { .p = operands, .size = operands_size };
	bool is_nop = strncmp(last, "nop", 3) == 0 && strncmp(p, "%cs:", 4) == 0;

	p += is_nop ? 4 : 0;
	if (strcmp(last, "movd") == 0 && has_wide_register(text))
		last = "movq";
	snprintf(mnemonic, mnemonic_size, "%s%.*s%.*s", is_nop ? "cs " : "", space ? (int)(space + 1 - from->name) : 0,
		 from->name, (int)name_length(last, text), last);
	operands[0] = '\0';
	while (*p) {
		if (*p == '$' && p[1] == '-' && from->size) {
			put(&out, p, 1);
			p = put_number(&out, p + 1, from->size);
		} else if (begins_number(text, p)) {
			p = put_number(&out, p, 8);
		} else if (*p == '(' && strncmp(p - (p > text + 2 ? 3 : 0), "%st", 3) != 0) {
			p = put_memory(&out, p, from->has_displacement);
		} else if (*p == ' ') {
			p++;
		} else {
			put(&out, p++, 1);
		}
	}
}
