/* SPDX-License-Identifier: MIT */
#include "sched/prev_state.h"

#include <string.h>

#include "base/ascii.h"
#include "base/bytes.h"

/* Linux 4.14 and later. */
static const struct prev_state_letters newer = {
	.nr = 8,
	.at = { { 1, 'S' }, { 2, 'D' }, { 4, 'T' }, { 8, 't' }, { 0x10, 'X' }, { 0x20, 'Z' }, { 0x40, 'P' },
		{ 0x80, 'I' } },
	.above = ~(uint64_t)0xff,
};

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && is_space(*p))
		p++;
	return p;
}

/* A number, decimal or 0x...; NULL if there is none that a bit could be. */
static const char *take_number(const char *p, const char *end, uint64_t *out)
{
	const bool hex = end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
	const char *begin = hex ? p + 2 : p;
	uint64_t v = 0;

	for (p = begin; p < end && p - begin < 16; p++) {
		const int digit = hex_digit(*p);

		if (digit < 0 || (!hex && digit > 9))
			break;
		v = v * (hex ? 16 : 10) + (unsigned)digit;
	}
	*out = v;
	return p > begin ? p : NULL;
}

/* { BIT, "LETTER" }: the place behind it, or NULL. */
static const char *take_pair(const char *p, const char *end, uint64_t *bit, char *letter)
{
	if (p == end || *p != '{')
		return NULL;
	p = take_number(skip_blanks(p + 1, end), end, bit);
	if (!p)
		return NULL;
	p = skip_blanks(p, end);
	if (p == end || *p != ',')
		return NULL;
	p = skip_blanks(p + 1, end);
	if (end - p < 3 || p[0] != '"' || p[2] != '"')
		return NULL;
	*letter = p[1];
	p = skip_blanks(p + 3, end);
	return p < end && *p == '}' ? p + 1 : NULL;
}

void prev_state_letters(const struct tracefmt_event *sched_switch, struct prev_state_letters *out)
{
	static const char flags[] = "__print_flags(";
	const struct sonde_str fmt = sched_switch->print_fmt;
	const char *end = fmt.p + fmt.len, *p = fmt.len ? memmem(fmt.p, fmt.len, flags, sizeof(flags) - 1) : NULL;
	uint64_t bit, highest = 0;
	char letter;

	*out = (struct prev_state_letters){ 0 };
	p = p ? memchr(p, '{', (size_t)(end - p)) : NULL;
	while (p && out->nr < PREV_STATE_LETTERS_MOST) {
		p = take_pair(p, end, &bit, &letter);
		if (!p || !bit || (bit & (bit - 1)) || bit >> 32)
			break;
		out->at[out->nr].bit = bit;
		out->at[out->nr++].letter = letter;
		highest = bit > highest ? bit : highest;
		p = skip_blanks(p, end);
		p = p < end && *p == ',' ? skip_blanks(p + 1, end) : NULL;
	}
	if (!out->nr)
		*out = newer;
	else
		out->above = ~(highest * 2 - 1);
}

const char *prev_state_text(const struct prev_state_letters *l, uint64_t prev_state)
{
	static const char letters[][2] = { "S", "D", "T", "t", "X", "Z", "P", "I", "x", "K", "W", "N" };

	if (prev_state & l->above)
		return "R+";
	for (uint32_t i = 0; i < l->nr; i++)
		for (size_t k = 0; prev_state & l->at[i].bit && k < ARRAY_SIZE(letters); k++)
			if (letters[k][0] == l->at[i].letter)
				return letters[k];
	return prev_state ? "?" : "R";
}
