/* SPDX-License-Identifier: MIT */
#include "tracefmt/ctype.h"

#include <ctype.h>
#include <string.h>

#include "base/bytes.h"

#define LONG 9   /* as wide as the recorder's long */

/* Type names of one word. */
static const struct named_type {
	const char *name;
	uint8_t size;
	bool is_signed;
} named_types[] = {
	{ "bool", 1, false },         { "_Bool", 1, false },       { "u8", 1, false },
	{ "__u8", 1, false },         { "uint8_t", 1, false },     { "u_char", 1, false },
	{ "uchar", 1, false },        { "s8", 1, true },           { "__s8", 1, true },
	{ "int8_t", 1, true },        { "u16", 2, false },         { "__u16", 2, false },
	{ "uint16_t", 2, false },     { "ushort", 2, false },      { "s16", 2, true },
	{ "__s16", 2, true },         { "int16_t", 2, true },      { "__be16", 2, false },
	{ "__le16", 2, false },       { "umode_t", 2, false },     { "u32", 4, false },
	{ "__u32", 4, false },        { "uint32_t", 4, false },    { "uint", 4, false },
	{ "s32", 4, true },           { "__s32", 4, true },        { "int32_t", 4, true },
	{ "__be32", 4, false },       { "__le32", 4, false },      { "__wsum", 4, false },
	{ "gfp_t", 4, false },        { "fmode_t", 4, false },     { "dev_t", 4, false },
	{ "uid_t", 4, false },        { "gid_t", 4, false },       { "pid_t", 4, true },
	{ "tid_t", 4, false },        { "blk_opf_t", 4, false },   { "rwf_t", 4, true },
	{ "u64", 8, false },          { "__u64", 8, false },       { "uint64_t", 8, false },
	{ "sector_t", 8, false },     { "s64", 8, true },          { "__s64", 8, true },
	{ "int64_t", 8, true },       { "loff_t", 8, true },       { "ktime_t", 8, true },
	{ "__be64", 8, false },       { "__le64", 8, false },      { "time64_t", 8, true },
	{ "dma_addr_t", 8, false },   { "phys_addr_t", 8, false }, { "resource_size_t", 8, false },
	{ "gpa_t", 8, false },        { "size_t", LONG, false },   { "ssize_t", LONG, true },
	{ "uintptr_t", LONG, false }, { "intptr_t", LONG, true },  { "ptrdiff_t", LONG, true },
	{ "off_t", LONG, true },      { "pgoff_t", LONG, false },  { "ino_t", LONG, false },
	{ "cpumask_t", LONG, false }, { "ulong", LONG, false },
};

static const char *const keywords[] = {
	"char",    "short", "int",      "long",          "unsigned", "signed",     "__signed__", "void",
	"struct",  "union", "enum",     "const",         "volatile", "__force",    "__user",     "__kernel",
	"__iomem", "__rcu", "__percpu", "__attribute__", "typeof",   "__typeof__", "__bitwise",  "restrict",
};

static bool is(struct sonde_str w, const char *s)
{
	return w.len == strlen(s) && memcmp(w.p, s, w.len) == 0;
}

static const struct named_type *find_named(struct sonde_str w)
{
	for (size_t i = 0; i < ARRAY_SIZE(named_types); i++)
		if (is(w, named_types[i].name))
			return &named_types[i];
	return NULL;
}

bool ctype_word(struct sonde_str w)
{
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (is(w, keywords[i]))
			return true;
	return find_named(w) || (w.len > 2 && memcmp(w.p + w.len - 2, "_t", 2) == 0);
}

/* The words that can be combined, as counted in one type name. */
struct words {
	unsigned longs, shorts, chars, ints, is_unsigned, is_signed, enums;
	const struct named_type *named;
	bool pointer, mask;
};

static void count_word(struct words *n, struct sonde_str w)
{
	const struct named_type *named = find_named(w);

	n->longs += is(w, "long");
	n->shorts += is(w, "short");
	n->chars += is(w, "char");
	n->ints += is(w, "int");
	n->is_unsigned += is(w, "unsigned");
	n->is_signed += is(w, "signed") || is(w, "__signed__");
	n->enums += is(w, "enum");
	if (named)
		n->named = named;
	n->mask |= is(w, "cpumask_t");
}

static struct words count_words(struct sonde_str text)
{
	struct words n = { 0 };
	size_t i = 0, depth = 0, start;

	while (i < text.len) {
		char c = text.p[i];

		if (c == '(' || c == '[')
			depth++;
		else if ((c == ')' || c == ']') && depth > 0)
			depth--;
		if (depth == 0 && (isalpha((uint8_t)c) || c == '_')) {
			for (start = i; i < text.len && (isalnum((uint8_t)text.p[i]) || text.p[i] == '_'); i++)
				;
			count_word(&n, (struct sonde_str){ text.p + start, i - start });
			continue;
		}
		n.pointer |= depth == 0 && c == '*';
		i++;
	}
	return n;
}

struct ctype ctype_parse(struct sonde_str text, uint8_t long_size)
{
	struct words n = count_words(text);
	struct ctype t = {
		.is_signed = !n.is_unsigned,
		.is_pointer = n.pointer,
		.is_char = n.chars > 0,
		.is_long = n.longs > 0,
		.is_mask = n.mask || (n.longs == 1 && n.is_unsigned),
	};

	if (n.chars) {
		t.size = 1;
	} else if (n.shorts) {
		t.size = 2;
	} else if (n.longs) {
		t.size = n.longs > 1 ? 8 : long_size;
	} else if (n.ints || n.is_unsigned || n.is_signed) {
		t.size = 4;
	} else if (n.named) {
		t.size = n.named->size == LONG ? long_size : n.named->size;
		t.is_signed = n.named->is_signed;
	} else if (n.enums) {
		t.size = 4;
		t.is_signed = false;
	} else {
		t.is_signed = false;
	}
	return t;
}
