/* SPDX-License-Identifier: MIT */
#include "tracefmt/redact/format.h"

#include "base/ascii.h"
#include "base/str.h"

#define BPF_PREFIX "bpf_prog_"
#define BPF_TAG_DIGITS 16

/* Groups that say nothing: the kernel's own, and perf's for functions of the kernel. */
static const char *const plain_groups[] = { "probe", "kprobes", "uprobes", "fprobes", "tracepoints" };

static bool is_word(char c)
{
	return is_alnum(c) || c == '_';
}

static bool has_prefix(struct sonde_str s, const char *prefix)
{
	return s.len >= strlen(prefix) && memcmp(s.p, prefix, strlen(prefix)) == 0;
}

bool redact_is_probe(const struct tracefmt_event *e)
{
	for (size_t i = 0; i < e->nr_fields; i++)
		if (strcmp(e->fields[i].name, "__probe_ip") == 0 || strcmp(e->fields[i].name, "__probe_func") == 0)
			return true;
	return false;
}

static bool is_plain(struct sonde_str group)
{
	for (size_t i = 0; i < sizeof(plain_groups) / sizeof(plain_groups[0]); i++)
		if (str_is(group, plain_groups[i]))
			return true;
	return false;
}

static bool is_group_of_probes(struct pseudonyms *names, struct sonde_str group)
{
	return is_plain(group) || has_prefix(group, "probe_") ||
		(group.len && strpool_find(&names->names[NAME_PROBES], group.p, group.len) != UINT32_MAX);
}

int redact_note_probes(struct pseudonyms *names, const struct tracefmt *t)
{
	char other[PSEUDONYM_BYTES];
	int r = 0;

	for (size_t i = 0; r == 0 && i < tracefmt_nr_events(t); i++) {
		const struct tracefmt_event *e = tracefmt_event_at(t, i);
		struct sonde_str group = { e->system, strlen(e->system) };

		if (redact_is_probe(e) && !is_group_of_probes(names, group))
			r = pseudonym_of(names, NAME_PROBES, group.p, group.len, other);
	}
	return r;
}

/* Writes the pseudonym of a name; one that is a pseudonym stays, so that a second time changes nothing. */
static int put_name(struct pseudonyms *names, enum name_class class, struct sonde_str name, struct buf *out)
{
	char other[PSEUDONYM_BYTES];

	if (name.len == 0)
		return 0;
	if (pseudonym_of(names, class, name.p, name.len, other) < 0)
		return -SONDE_NOMEM;
	buf_str(out, other);
	return 0;
}

static int put_group(struct pseudonyms *names, struct sonde_str group, struct buf *out)
{
	if (!is_plain(group))
		return put_name(names, NAME_PROBES, group, out);
	buf_put(out, group.p, group.len);
	return 0;
}

/* The name in "field:__data_loc char[] line;": the last word that is in no brackets. */
static struct sonde_str name_of_field(struct sonde_str line)
{
	struct sonde_str decl = str_take(&line, ';'), name = { NULL, 0 };
	size_t end = decl.len, start;

	while (end > 0 && decl.p[end - 1] == ']')
		while (end > 0 && decl.p[--end] != '[')
			;
	for (start = end; start > 0 && is_word(decl.p[start - 1]);)
		start--;
	if (start < end)
		name = (struct sonde_str){ decl.p + start, end - start };
	return name;
}

/* Those of every event, and of every probe. */
static bool is_kernels_field(struct sonde_str name)
{
	return has_prefix(name, "common_") || has_prefix(name, "__probe_");
}

/* In the expression of a probe a name stands before "=", and behind "->" or "(". */
static bool is_place_of_name(struct sonde_str text, size_t start, size_t end)
{
	char before = start ? text.p[start - 1] : '\0', after = end < text.len ? text.p[end] : '\0';
	bool is_member = before == '>' && start > 1 && text.p[start - 2] == '-';

	return before != '%' && (after == '=' || before == '(' || is_member);
}

static int put_print_fmt(struct pseudonyms *names, struct sonde_str text, struct strpool *fields,
			 struct buf *out)
{
	int r = 0;

	for (size_t at = 0, end; r == 0 && at < text.len; at = end) {
		struct sonde_str word;

		for (end = at; end < text.len && is_word(text.p[end]);)
			end++;
		word = (struct sonde_str){ text.p + at, end - at };
		if (word.len && is_place_of_name(text, at, end) &&
		    strpool_find(fields, word.p, word.len) != UINT32_MAX)
			r = put_name(names, NAME_VARIABLE, word, out);
		else if (word.len)
			buf_put(out, word.p, word.len);
		else
			buf_char(out, text.p[end++]);
	}
	return r;
}

static int put_line(struct pseudonyms *names, struct sonde_str line, struct strpool *fields, struct buf *out)
{
	struct sonde_str rest = line, name = { NULL, 0 };
	enum name_class class = NAME_VARIABLE;
	int r;

	while (rest.len && (*rest.p == ' ' || *rest.p == '\t'))
		str_skip(&rest, 1);
	if (str_skip_prefix(&rest, "name:")) {
		while (rest.len && *rest.p == ' ')
			str_skip(&rest, 1);
		name = rest;
		class = NAME_PROBE;
	} else if (str_skip_prefix(&rest, "field")) {
		name = name_of_field(rest);
	}
	if (name.len == 0 || (class == NAME_VARIABLE && is_kernels_field(name))) {
		buf_put(out, line.p, line.len);
		return 0;
	}
	if (class == NAME_VARIABLE && strpool_add(fields, name.p, name.len) == UINT32_MAX)
		return -SONDE_NOMEM;
	buf_put(out, line.p, (size_t)(name.p - line.p));
	r = put_name(names, class, name, out);
	buf_put(out, name.p + name.len, (size_t)(line.p + line.len - (name.p + name.len)));
	return r;
}

static int put_probe(struct pseudonyms *names, struct sonde_str text, struct buf *out)
{
	struct strpool fields = { 0 };
	int r = 0;

	while (r == 0 && text.len) {
		if (has_prefix(text, "print fmt:")) {
			r = put_print_fmt(names, text, &fields, out);
			break;
		}
		r = put_line(names, str_take(&text, '\n'), &fields, out);
		buf_char(out, '\n');
	}
	strpool_free(&fields);
	return r;
}

int redact_format(struct pseudonyms *names, const char *system, struct sonde_str text, struct arena *arena,
		  struct format_lists *to)
{
	struct sonde_str group = { system, strlen(system) };
	struct buf out = BUF_MEMORY, other = BUF_MEMORY;
	int r;

	if (!is_group_of_probes(names, group))
		return format_lists_add(to, system, text);
	r = put_group(names, group, &other);
	buf_char(&other, '\0');
	if (r == 0)
		r = put_probe(names, text, &out);
	text = (struct sonde_str){ out.n ? arena_memdup(arena, out.p, out.n) : "", out.n };
	if (r == 0)
		r = out.failed || other.failed || !text.p ? -SONDE_NOMEM : format_lists_add(to, other.p, text);
	buf_free(&out);
	buf_free(&other);
	return r;
}

int redact_take_format(void *ctx, const char *system, struct sonde_str text, uint64_t at)
{
	struct redacted_formats *f = ctx;

	(void)at;
	return redact_format(f->names, system, text, &f->arena, &f->lists);
}

void redacted_formats_free(struct redacted_formats *f)
{
	format_lists_free(&f->lists);
	arena_free(&f->arena);
}

int redact_event_name(struct pseudonyms *names, const char *name, size_t len, char out[REDACTED_EVENT_BYTES])
{
	struct sonde_str rest = { name, strnlen(name, len) }, group, event;
	struct buf b = BUF_MEMORY;
	int r;

	if (!rest.len || !memchr(rest.p, ':', rest.len))
		return 0;
	group = str_take(&rest, ':');
	event = rest;
	for (event.len = 0; event.len < rest.len && is_word(event.p[event.len]);)
		event.len++;
	if (!is_group_of_probes(names, group))
		return 0;
	r = put_group(names, group, &b);
	buf_char(&b, ':');
	if (r == 0)
		r = put_name(names, NAME_PROBE, event, &b);
	buf_char(&b, '\0');
	if (b.failed)
		r = -SONDE_NOMEM;
	if (r == 0)
		memcpy(out, b.p, b.n < REDACTED_EVENT_BYTES ? b.n : REDACTED_EVENT_BYTES);
	buf_free(&b);
	return r < 0 ? r : 1;
}

bool redact_names_probe(struct pseudonyms *names, struct sonde_str text)
{
	static const enum name_class classes[] = { NAME_PROBE, NAME_PROBES, NAME_VARIABLE };
	size_t n;

	for (; text.len; str_skip(&text, n ? n : 1)) {
		for (n = 0; n < text.len && is_word(text.p[n]);)
			n++;
		for (size_t i = 0; n && i < sizeof(classes) / sizeof(classes[0]); i++)
			if (strpool_find(&names->names[classes[i]], text.p, n) != UINT32_MAX)
				return true;
	}
	return false;
}

size_t redact_bpf_kept(const char *name, size_t len)
{
	struct sonde_str s = { name, len };
	size_t n = strlen(BPF_PREFIX);

	if (!has_prefix(s, BPF_PREFIX))
		return has_prefix(s, "bpf_trampoline_") || has_prefix(s, "bpf_dispatcher_") ? len : 0;
	while (n < len && n < strlen(BPF_PREFIX) + BPF_TAG_DIGITS && is_xdigit(name[n]))
		n++;
	if (n < strlen(BPF_PREFIX) + BPF_TAG_DIGITS || (n < len && name[n] != '_'))
		return strlen(BPF_PREFIX);
	return n + 1 < len ? n + 1 : len;
}

/* "ffffffffc0001000 t bpf_prog_6deef7357e7b4530_handle_exec\t[bpf]" */
static int put_symbol(struct pseudonyms *names, struct sonde_str line, struct buf *out)
{
	struct sonde_str rest = line, symbol;
	size_t kept;
	int r;

	str_take(&rest, ' ');
	str_take(&rest, ' ');
	symbol = str_take(&rest, '\t');
	if (!has_prefix(rest, "[bpf]") || !symbol.len) {  /* the kernel has functions of its own for programs */
		buf_put(out, line.p, line.len);
		return 0;
	}
	kept = redact_bpf_kept(symbol.p, symbol.len);
	buf_put(out, line.p, (size_t)(symbol.p + kept - line.p));
	r = put_name(names, NAME_BPF, (struct sonde_str){ symbol.p + kept, symbol.len - kept }, out);
	buf_put(out, symbol.p + symbol.len, (size_t)(line.p + line.len - (symbol.p + symbol.len)));
	return r;
}

int redact_kallsyms(struct pseudonyms *names, struct sonde_str text, struct buf *out)
{
	int r = 0;

	while (r == 0 && text.len) {
		struct sonde_str all = text, line = str_take(&text, '\n');

		r = put_symbol(names, line, out);
		if (line.len < all.len)
			buf_char(out, '\n');
	}
	return r < 0 || out->failed ? -SONDE_NOMEM : 0;
}
