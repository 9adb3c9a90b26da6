/* SPDX-License-Identifier: MIT */
#include "tracefmt/ctype.h"

#include <string.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/str.h"

#define LONG 9   /* as wide as the recorder's long */

#define NAME(s) s, sizeof(s) - 1

/* Type names of one word. */
static const struct named_type {
	const char *name;
	uint8_t len, size;
	bool is_signed;
} named_types[] = {
	{ NAME("bool"), 1, false }, { NAME("_Bool"), 1, false }, { NAME("u8"), 1, false },
	{ NAME("__u8"), 1, false }, { NAME("uint8_t"), 1, false }, { NAME("u_char"), 1, false },
	{ NAME("uchar"), 1, false }, { NAME("s8"), 1, true }, { NAME("__s8"), 1, true },
	{ NAME("int8_t"), 1, true }, { NAME("u16"), 2, false }, { NAME("__u16"), 2, false },
	{ NAME("uint16_t"), 2, false }, { NAME("ushort"), 2, false }, { NAME("s16"), 2, true },
	{ NAME("__s16"), 2, true }, { NAME("int16_t"), 2, true }, { NAME("__be16"), 2, false },
	{ NAME("__le16"), 2, false }, { NAME("umode_t"), 2, false }, { NAME("u32"), 4, false },
	{ NAME("__u32"), 4, false }, { NAME("uint32_t"), 4, false }, { NAME("uint"), 4, false },
	{ NAME("s32"), 4, true }, { NAME("__s32"), 4, true }, { NAME("int32_t"), 4, true },
	{ NAME("__be32"), 4, false }, { NAME("__le32"), 4, false }, { NAME("__wsum"), 4, false },
	{ NAME("gfp_t"), 4, false }, { NAME("fmode_t"), 4, false }, { NAME("dev_t"), 4, false },
	{ NAME("uid_t"), 4, false }, { NAME("gid_t"), 4, false }, { NAME("pid_t"), 4, true },
	{ NAME("tid_t"), 4, false }, { NAME("blk_opf_t"), 4, false }, { NAME("rwf_t"), 4, true },
	{ NAME("u64"), 8, false }, { NAME("__u64"), 8, false }, { NAME("uint64_t"), 8, false },
	{ NAME("sector_t"), 8, false }, { NAME("s64"), 8, true }, { NAME("__s64"), 8, true },
	{ NAME("int64_t"), 8, true }, { NAME("loff_t"), 8, true }, { NAME("ktime_t"), 8, true },
	{ NAME("__be64"), 8, false }, { NAME("__le64"), 8, false }, { NAME("time64_t"), 8, true },
	{ NAME("dma_addr_t"), 8, false }, { NAME("phys_addr_t"), 8, false }, { NAME("resource_size_t"), 8, false },
	{ NAME("gpa_t"), 8, false }, { NAME("size_t"), LONG, false }, { NAME("ssize_t"), LONG, true },
	{ NAME("uintptr_t"), LONG, false }, { NAME("intptr_t"), LONG, true }, { NAME("ptrdiff_t"), LONG, true },
	{ NAME("off_t"), LONG, true }, { NAME("pgoff_t"), LONG, false }, { NAME("ino_t"), LONG, false },
	{ NAME("cpumask_t"), LONG, false }, { NAME("ulong"), LONG, false },
};

static const char *const keywords[] = {
	"char",    "short", "int",      "long",          "unsigned", "signed",     "__signed__", "void",
	"struct",  "union", "enum",     "const",         "volatile", "__force",    "__user",     "__kernel",
	"__iomem", "__rcu", "__percpu", "__attribute__", "typeof",   "__typeof__", "__bitwise",  "restrict",
};

#define IS(w, s) ((w).len == sizeof(s) - 1 && memcmp((w).p, s, sizeof(s) - 1) == 0)

static const struct named_type *find_named(struct sonde_str w)
{
	for (size_t i = 0; i < ARRAY_SIZE(named_types); i++)
		if (w.len == named_types[i].len && memcmp(w.p, named_types[i].name, w.len) == 0)
			return &named_types[i];
	return NULL;
}

bool ctype_word(struct sonde_str w)
{
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (str_is(w, keywords[i]))
			return true;
	return find_named(w) || (w.len > 2 && memcmp(w.p + w.len - 2, "_t", 2) == 0);
}

/* The words that can be combined, as counted in one type name. */
struct type_words {
	unsigned longs, shorts, chars, ints, is_unsigned, is_signed, enums;
	const struct named_type *named;
	bool pointer, mask;
};

static void count_word(struct type_words *n, struct sonde_str w)
{
	const struct named_type *named = find_named(w);

	n->longs += IS(w, "long");
	n->shorts += IS(w, "short");
	n->chars += IS(w, "char");
	n->ints += IS(w, "int");
	n->is_unsigned += IS(w, "unsigned");
	n->is_signed += IS(w, "signed") || IS(w, "__signed__");
	n->enums += IS(w, "enum");
	if (named)
		n->named = named;
	n->mask |= IS(w, "cpumask_t");
}

static struct type_words count_words(struct sonde_str text)
{
	struct type_words n = { 0 };
	size_t i = 0, depth = 0, start;

	while (i < text.len) {
		char c = text.p[i];

		if (c == '(' || c == '[')
			depth++;
		else if ((c == ')' || c == ']') && depth > 0)
			depth--;
		if (depth == 0 && (is_alpha(c) || c == '_')) {
			for (start = i; i < text.len && (is_alnum(text.p[i]) || text.p[i] == '_'); i++)
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
	struct type_words n = count_words(text);
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
