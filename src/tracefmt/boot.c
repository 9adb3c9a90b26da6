/* SPDX-License-Identifier: MIT */
/*
 * boot.c - last_boot_info
 *
 *	text delta:\t16777216          Linux 6.12: what has to be added, decimal
 *	data delta:\t16777216
 *
 *	ffffffff9b000000\t[kernel]     Linux 6.15: where _text and the modules were, hexadecimal
 *	ffffffffc0310000\tname
 *
 *	# Current                      it has been written to since the boot
 */
#include "tracefmt/boot.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define MAX_PARTS 65536
#define TEXT_DELTA "text delta:"

static struct sonde_str next_word(struct sonde_str *rest)
{
	struct sonde_str word;
	size_t n = 0;

	while (rest->len && (*rest->p == ' ' || *rest->p == '\t'))
		str_skip(rest, 1);
	while (n < rest->len && rest->p[n] != ' ' && rest->p[n] != '\t')
		n++;
	word = (struct sonde_str){ rest->p, n };
	str_skip(rest, n);
	return word;
}

/* @base 10: perhaps negative; 16: perhaps after 0x. */
static bool number(struct sonde_str word, int base, uint64_t *out)
{
	char text[32], *end;

	if (!word.len || word.len >= sizeof(text))
		return false;
	memcpy(text, word.p, word.len);
	text[word.len] = '\0';
	*out = strtoull(text, &end, base);
	return !*end;
}

static bool is_delta(struct sonde_str line, uint64_t *out)
{
	return str_skip_prefix(&line, TEXT_DELTA) && number(next_word(&line), 10, out);
}

static int by_address(const void *a, const void *b)
{
	const struct boot_part *x = a, *y = b;

	return (x->then > y->then) - (x->then < y->then);
}

int boots_add(struct boots *b, struct arena *a, const char *buffer, struct sonde_str text)
{
	struct tracefmt_boot boot = { .buffer = arena_strndup(a, buffer, strlen(buffer)) };
	int e = boot.buffer ? 0 : -SONDE_NOMEM;

	while (e == 0 && text.len && boot.parts.n < MAX_PARTS) {
		struct sonde_str line = str_take(&text, '\n'), rest = line, word = next_word(&rest),
				 name = next_word(&rest);
		struct boot_part part = { 0 };

		if (is_delta(line, &boot.delta)) {
			boot.has_delta = true;
		} else if (name.len && number(word, 16, &part.then)) {
			part.name = str_is(name, "[kernel]") ? NULL : arena_strndup(a, name.p, name.len);
			if ((!part.name && !str_is(name, "[kernel]")) || vec_push(&boot.parts, part) < 0)
				e = -SONDE_NOMEM;
		}
	}
	if (boot.parts.n)
		qsort(boot.parts.at, boot.parts.n, sizeof(*boot.parts.at), by_address);
	if (e == 0 && (boot.parts.n || boot.has_delta)) {
		if (vec_push(&b->list, boot) == 0)
			return 0;
		e = -SONDE_NOMEM;
	}
	vec_free(&boot.parts);
	return e;
}

/* "name 16384 1 - Live 0xffffffffc0310000 (E)" */
int boots_add_modules(struct boots *b, struct arena *a, struct sonde_str text)
{
	while (text.len && b->modules.n < MAX_PARTS) {
		struct sonde_str line = str_take(&text, '\n'), name = next_word(&line), word = { 0 };
		struct boot_module m;

		for (int i = 0; i < 5; i++)
			word = next_word(&line);
		if (!name.len || !number(word, 16, &m.now) || !m.now)
			continue;
		m.name = arena_strndup(a, name.p, name.len);
		if (!m.name || vec_push(&b->modules, m) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

static const struct boot_module *module_named(const struct boots *b, const char *name)
{
	for (size_t i = 0; i < b->modules.n; i++)
		if (!strcmp(b->modules.at[i].name, name))
			return &b->modules.at[i];
	return NULL;
}

bool boots_translate(const struct boots *b, const struct tracefmt_boot *boot, const struct ksyms *now,
		     uint64_t *address)
{
	size_t low = 0, high = boot->parts.n, middle;
	const struct boot_part *part;
	const struct boot_module *m;

	if (boot->has_delta) {
		*address += boot->delta;
		return true;
	}
	while (low < high) {         /* ends at the first one above the address */
		middle = low + (high - low) / 2;
		if (boot->parts.at[middle].then <= *address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	part = &boot->parts.at[low - 1];
	if (!part->name) {
		if (!now->text_start || (now->text_end && *address - part->then >= now->text_end - now->text_start))
			return false;
		*address += now->text_start - part->then;
		return true;
	}
	m = module_named(b, part->name);   /* one that is not there now has no symbols either */
	if (m)
		*address += m->now - part->then;
	return m;
}

void boots_free(struct boots *b)
{
	for (size_t i = 0; i < b->list.n; i++)
		vec_free(&b->list.at[i].parts);
	vec_free(&b->list);
	vec_free(&b->modules);
}
