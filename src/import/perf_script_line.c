/* SPDX-License-Identifier: MIT */
#include "import/perf_script_line.h"

#include "base/str.h"

#define NS_PER_SECOND UINT64_C(1000000000)

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct sonde_str trim(struct sonde_str s)
{
	while (s.len && is_blank(s.p[0]))
		str_skip(&s, 1);
	while (s.len && is_blank(s.p[s.len - 1]))
		s.len--;
	return s;
}

/* Takes the first word and the blanks behind it off a text that does not begin with a blank. */
static struct sonde_str take_word(struct sonde_str *rest)
{
	struct sonde_str word = { rest->p, 0 };

	while (word.len < rest->len && !is_blank(rest->p[word.len]))
		word.len++;
	str_skip(rest, word.len);
	*rest = trim(*rest);
	return word;
}

/* Takes the last word and the blanks before it off a text that does not end with a blank. */
static struct sonde_str take_last_word(struct sonde_str *text)
{
	struct sonde_str word = { text->p + text->len, 0 };

	while (text->len && !is_blank(text->p[text->len - 1])) {
		text->len--;
		word.p--;
		word.len++;
	}
	*text = trim(*text);
	return word;
}

/* A decimal number that is all of the text. */
static bool read_number(struct sonde_str text, uint64_t most, uint64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < text.len; i++) {
		if (!is_digit(text.p[i]) || __builtin_mul_overflow(*out, 10, out) ||
		    __builtin_add_overflow(*out, (uint64_t)(text.p[i] - '0'), out) || *out > most)
			return false;
	}
	return text.len > 0;
}

/* "-1" stands for a thread that is gone. */
static bool read_id(struct sonde_str text, int32_t *out)
{
	uint64_t v;

	*out = -1;
	if (str_is(text, "-1"))
		return true;
	if (!read_number(text, INT32_MAX, &v))
		return false;
	*out = (int32_t)v;
	return true;
}

/* ---- frames ---- */

/* Cuts "+0x1f" off the end. */
static void cut_offset(struct sonde_str *name)
{
	size_t n = name->len;

	while (n && (is_digit(name->p[n - 1]) || (name->p[n - 1] >= 'a' && name->p[n - 1] <= 'f')))
		n--;
	if (n < name->len && n >= 3 && memcmp(name->p + n - 3, "+0x", 3) == 0)
		name->len = n - 3;
}

/* Takes "(DSO)" off the end: parentheses that a blank precedes, or nothing. Its name may have parentheses. */
static bool take_dso(struct sonde_str *text, struct sonde_str *dso)
{
	size_t open = 0, i = text->len;

	if (!i || text->p[i - 1] != ')')
		return false;
	while (i > 0) {
		i--;
		open += text->p[i] == ')';
		if (text->p[i] == '(' && --open == 0)
			break;
	}
	if (open || (i > 0 && !is_blank(text->p[i - 1])))
		return false;
	*dso = (struct sonde_str){ text->p + i + 1, text->len - i - 2 };
	text->len = i;
	*text = trim(*text);
	return true;
}

static bool take_inlined(struct sonde_str *text)
{
	static const char mark[] = "(inlined)";

	if (!str_ends(*text, mark))
		return false;
	text->len -= strlen(mark);
	*text = trim(*text);
	return true;
}

bool script_take_frame(struct sonde_str line, struct script_frame *out)
{
	struct sonde_str rest = trim(line), addr = take_word(&rest);

	*out = (struct script_frame){ 0 };
	if (str_begins(addr, "0x"))
		str_skip(&addr, 2);
	if (!str_take_hex(&addr, &out->addr) || addr.len)
		return false;
	out->inlined = take_inlined(&rest);
	if (take_dso(&rest, &out->dso))
		cut_offset(&out->dso);
	out->inlined |= take_inlined(&rest);
	cut_offset(&rest);
	if (!str_is(rest, "[unknown]"))
		out->name = rest;
	if (str_is(out->dso, "[unknown]"))
		out->dso.len = 0;
	return true;
}

bool script_take_source(struct sonde_str line, struct script_frame *frame)
{
	struct sonde_str text = trim(line);
	bool inlined = take_inlined(&text);
	size_t n = text.len;
	uint64_t number;

	while (n && is_digit(text.p[n - 1]))
		n--;
	if (n > 1 && text.p[n - 1] == ':' &&
	    read_number((struct sonde_str){ text.p + n, text.len - n }, INT32_MAX, &number)) {
		frame->file = (struct sonde_str){ text.p, n - 1 };
		frame->line = (uint32_t)number;
	} else if (!inlined) {
		return false;
	}
	frame->inlined |= inlined;
	return true;
}

/* ---- heads of samples ---- */

/* "100.000001", with up to nine decimals. */
static bool read_time(struct sonde_str text, uint64_t *ns)
{
	struct sonde_str part = text, seconds = str_take(&part, '.');
	uint64_t s, fraction;

	if (part.len < 3 || part.len > 9 || !read_number(seconds, UINT64_MAX / NS_PER_SECOND - 1, &s) ||
	    !read_number(part, NS_PER_SECOND - 1, &fraction))
		return false;
	for (size_t i = part.len; i < 9; i++)
		fraction *= 10;
	*ns = s * NS_PER_SECOND + fraction;
	return true;
}

/* Divides a line at its time, "100.000001:". */
static bool divide_at_time(struct sonde_str line, struct sonde_str *before, struct sonde_str *after, uint64_t *ns)
{
	for (size_t i = 1; i < line.len; i++) {
		size_t begin = i;

		if (line.p[i] != ':' || (i + 1 < line.len && !is_blank(line.p[i + 1])))
			continue;
		while (begin && (is_digit(line.p[begin - 1]) || line.p[begin - 1] == '.'))
			begin--;
		if ((begin && !is_blank(line.p[begin - 1])) ||
		    !read_time((struct sonde_str){ line.p + begin, i - begin }, ns))
			continue;
		*before = trim((struct sonde_str){ line.p, begin });
		*after = trim((struct sonde_str){ line.p + i + 1, line.len - i - 1 });
		return true;
	}
	return false;
}

static bool is_cpu(struct sonde_str word)
{
	uint64_t v;

	return word.len > 2 && word.p[0] == '[' && word.p[word.len - 1] == ']' &&
	       read_number((struct sonde_str){ word.p + 1, word.len - 2 }, INT32_MAX, &v);
}

/* Letters of -F misc: modes of the processor, and kinds of records. */
static bool is_misc(struct sonde_str word)
{
	for (size_t i = 0; i < word.len; i++)
		if (!strchr("KUHGgMESp", word.p[i]))
			return false;
	return word.len > 0;
}

/* "12/14", "12/ 14" or "14" at the end of a text. */
static bool take_ids(struct sonde_str *text, struct script_sample *out)
{
	struct sonde_str left = *text, last = take_last_word(&left), first = str_take(&last, '/');

	if (last.p > first.p + first.len) {          /* "12/14" */
		if (!read_id(first, &out->pid) || !read_id(last, &out->tid))
			return false;
	} else if (left.len && left.p[left.len - 1] == '/') {        /* "12/ 14" */
		struct sonde_str pid = take_last_word(&left);

		pid.len--;
		if (!read_id(pid, &out->pid) || !read_id(first, &out->tid))
			return false;
	} else if (!read_id(first, &out->tid)) {
		return false;
	}
	*text = left;
	return true;
}

/* "comm 12/14 [001] U": all but the ids may be missing. */
static bool take_task(struct sonde_str text, struct script_sample *out)
{
	struct sonde_str shorter = text, word = take_last_word(&shorter);

	if (is_misc(word)) {
		text = shorter;
		word = take_last_word(&shorter);
	}
	if (is_cpu(word))
		text = shorter;
	if (!take_ids(&text, out))
		return false;
	out->comm = text;
	return true;
}

/*
 * Without a time, as FlameGraph: the name ends before the first number that is a word. False if the line has no event.
 */
static bool divide_at_ids(struct sonde_str line, struct script_sample *out, struct sonde_str *after)
{
	struct sonde_str rest = line;

	while (rest.len) {
		const char *begin = rest.p;
		struct sonde_str ids;

		take_word(&rest);
		ids = trim((struct sonde_str){ line.p, (size_t)(rest.p - line.p) });
		if (!is_digit(*begin) && *begin != '-')
			continue;
		if (ids.len && ids.p[ids.len - 1] == '/')     /* "12/ 14" */
			continue;
		if (!take_ids(&ids, out))
			continue;
		out->comm = ids;
		*after = rest;
		if (rest.len && rest.p[0] == '[')
			take_word(after);
		return true;
	}
	return false;
}

/* The event is a word that ends with a colon, behind the period if there is one: "sched:sched_switch:" */
static bool take_event(struct sonde_str *rest, struct script_sample *out)
{
	struct sonde_str left = *rest, word = take_word(&left), next = left, event = word;
	uint64_t period;

	if (read_number(word, UINT64_MAX, &period)) {
		event = take_word(&next);
		out->has_period = event.len > 1 && event.p[event.len - 1] == ':';
	}
	if (event.len < 2 || event.p[event.len - 1] != ':')
		return false;
	if (out->has_period)
		out->period = period;
	out->event = (struct sonde_str){ event.p, event.len - 1 };
	*rest = out->has_period ? next : left;
	return true;
}

/* "sched:sched_switch", and not "cycles:u" or "cpu-clock:ppp" */
static bool is_tracepoint(struct sonde_str event)
{
	struct sonde_str name = event;

	if (memchr(event.p, '/', event.len))
		return false;
	str_take(&name, ':');
	for (size_t i = 0; i < name.len; i++)
		if (!strchr("ukhGHIpPSDeWbRX", name.p[i]))
			return true;
	return false;
}

bool script_take_sample(struct sonde_str line, struct script_sample *out)
{
	struct sonde_str before, rest;
	bool timed, named;

	line = trim(line);
	*out = (struct script_sample){ .pid = -1, .tid = -1, .time = SONDE_NONE, .period = 1 };
	timed = divide_at_time(line, &before, &rest, &out->time);
	if (timed ? !take_task(before, out) : !divide_at_ids(line, out, &rest))
		return false;
	named = rest.len && take_event(&rest, out);
	if (!timed && !named)
		return false;
	out->has_frame = rest.len && !(named && is_tracepoint(out->event)) && script_take_frame(rest, &out->frame);
	return true;
}

bool script_is_record(struct sonde_str line)
{
	return memmem(line.p, line.len, " PERF_RECORD_", strlen(" PERF_RECORD_")) != NULL;
}
