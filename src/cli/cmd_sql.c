/* SPDX-License-Identifier: MIT */
/* cmd_sql.c - asks a trace in SQL */
#include <sonde/sql.h>
#include <sonde/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/ledger.h"
#include "cli/base/session.h"
#include "cli/base/stacks.h"
#include "cli/base/symbol_notes.h"

enum { ROWS_FOR_WIDTHS = 1000, WIDEST = 80 };

/* U+FFFD: a cast makes a text of any bytes, and those that are not UTF-8 become this character. */
#define REPLACEMENT "\xef\xbf\xbd"

static struct strings inputs;
static bool csv, json;

static const struct option_row sql_options[] = {
	{ "input", 'i', OPTION_STRINGS, &inputs, .arg = "FILE", .help = "the trace, - for the standard input" },
	{ "csv", 0, OPTION_FLAG, &csv, .help = "print rows as comma-separated values (RFC 4180)" },
	{ "json", 0, OPTION_FLAG, &json, .help = "print each row as a JSON object on a line" },
	MAX_STACK_ROW,
	INLINE_ROW,
	{ .kind = OPTION_HEADING, .help = "Which samples" },
	SELECTION_ROWS,
	OFFSET_ROW,
	{ .kind = OPTION_HEADING, .help = "Symbols" },
	SYMBOL_ROWS,
	ACCEPTED_SYMBOL_ROWS,
	ACCEPTED_VERBOSE_ROW,
	{ 0 },
};

/* ---- rows as text ---- */

/* A value as text, in memory of the caller for numbers. */
static struct sonde_bytes text_of(const struct sonde_sql_value *v, char spare[32])
{
	int n = 0;

	if (v->kind == SONDE_SQL_TEXT || v->kind == SONDE_SQL_BLOB)
		return v->bytes;
	if (v->kind == SONDE_SQL_INTEGER)
		n = snprintf(spare, 32, "%" PRId64, v->integer);
	else if (v->kind == SONDE_SQL_REAL)
		n = snprintf(spare, 32, "%.15g", v->real);
	return (struct sonde_bytes){ (const uint8_t *)spare, (size_t)n };
}

/* The bytes of the character of UTF-8 that begins there; 0: there is none. */
static size_t utf8_size(const uint8_t *p, size_t left)
{
	size_t n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 :
		   *p >= 0xf0 && *p < 0xf5 ? 4 : 0;

	if (n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* longer than needed, a surrogate, beyond U+10FFFF */
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] >= 0xa0) || (*p == 0xf0 && p[1] < 0x90) ||
	    (*p == 0xf4 && p[1] >= 0x90))
		return 0;
	return n;
}

/* Whether text for terminals has something else in its place. */
static bool is_control(const uint8_t *p, size_t n)
{
	char copy[5] = { 0 };

	memcpy(copy, p, n);
	sonde_text_clean(copy, n);
	return memcmp(copy, p, n) != 0;
}

static void put_csv_character(const uint8_t *p, size_t n)
{
	if (!n)
		fputs(REPLACEMENT, stdout);
	else if (*p == '"')
		fputs("\"\"", stdout);
	else if (is_control(p, n) && !memchr("\t\n\r", *p, 3))
		fputs(REPLACEMENT, stdout);
	else
		fwrite(p, 1, n, stdout);
}

/* @is_text: no number, which spreadsheets should take for one. docs/events-json.md has the rule of apostrophes. */
static void put_csv(const struct sonde_bytes *b, bool is_text)
{
	bool marked = is_text && b->len && memchr("=+-@\t\r\n'", b->p[0], 8), quoted = marked;
	size_t n;

	for (size_t i = 0; i < b->len && !quoted; i++)
		quoted = memchr("\",\n\r", b->p[i], 4);
	if (quoted)
		putchar('"');
	if (marked)
		putchar('\'');
	for (size_t i = 0; i < b->len; i += n ? n : 1) {
		n = utf8_size(b->p + i, b->len - i);
		put_csv_character(b->p + i, n);
	}
	if (quoted)
		putchar('"');
}

/* The number of a character that is a control: of three bytes at most. */
static unsigned code_of(const uint8_t *p, size_t n)
{
	return n == 1 ? p[0] : n == 2 ? (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu) :
	       (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
}

static void put_json_text(const struct sonde_bytes *b)
{
	size_t n;

	putchar('"');
	for (size_t i = 0; i < b->len; i += n ? n : 1) {
		n = utf8_size(b->p + i, b->len - i);
		if (b->p[i] == '"' || b->p[i] == '\\')
			printf("\\%c", b->p[i]);
		else if (n && is_control(b->p + i, n))
			printf("\\u%04x", code_of(b->p + i, n));
		else if (n)
			fwrite(b->p + i, 1, n, stdout);
		else
			fputs(REPLACEMENT, stdout);
	}
	putchar('"');
}

static void put_json(struct sonde_sql *q)
{
	size_t n = sonde_sql_column_count(q);
	char spare[32];

	putchar('{');
	for (size_t i = 0; i < n; i++) {
		const struct sonde_sql_value *v = sonde_sql_value_at(q, i);
		const char *name = sonde_sql_column_name(q, i);
		struct sonde_bytes text = text_of(v, spare), key = { (const uint8_t *)name, strlen(name) };

		if (i)
			putchar(',');
		put_json_text(&key);
		putchar(':');
		if (v->kind == SONDE_SQL_NULL)
			printf("null");
		else if (v->kind == SONDE_SQL_TEXT || v->kind == SONDE_SQL_BLOB || !strpbrk(spare, "0123456789"))
			put_json_text(&text);
		else
			fwrite(text.p, 1, text.len, stdout);
	}
	puts("}");
}

static void put_csv_row(struct sonde_sql *q)
{
	size_t n = sonde_sql_column_count(q);
	char spare[32];

	for (size_t i = 0; i < n; i++) {
		const struct sonde_sql_value *v = sonde_sql_value_at(q, i);
		struct sonde_bytes text = text_of(v, spare);

		if (i)
			putchar(',');
		put_csv(&text, v->kind == SONDE_SQL_TEXT || v->kind == SONDE_SQL_BLOB);
	}
	putchar('\n');
}

/* ---- rows in columns ---- */

/* A row of a table whose columns are not known to be wide enough yet. */
struct kept {
	char **cells;                /* row after row */
	bool *is_number;
	size_t n, columns;
	size_t *widths;
};

/* Characters of UTF-8. */
static size_t width_of(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((uint8_t)*s & 0xc0) != 0x80;
	return n;
}

static void put_cell(const char *s, size_t width, bool is_number, bool is_last)
{
	size_t n = width_of(s), blanks = n < width ? width - n : 0;

	if (is_number)
		printf("%*s", (int)blanks, "");
	fputs(s, stdout);
	if (!is_number && !is_last)
		printf("%*s", (int)blanks, "");
	fputs(is_last ? "\n" : "  ", stdout);
}

static void put_kept(struct kept *k)
{
	for (size_t i = 0; i < k->n; i++) {
		put_cell(k->cells[i], k->widths[i % k->columns], k->is_number[i], (i + 1) % k->columns == 0);
		free(k->cells[i]);
	}
	k->n = 0;
}

static int keep(struct kept *k, const struct sonde_bytes *text, bool is_number)
{
	char *s = malloc(text->len + 1);
	size_t width, column = k->n % k->columns;

	if (!s)
		return -SONDE_NOMEM;
	if (text->len)
		memcpy(s, text->p, text->len);
	sonde_text_clean(s, text->len);  /* it must not drive a terminal */
	s[text->len] = '\0';
	width = width_of(s);
	width = width < WIDEST ? width : WIDEST;
	k->widths[column] = width > k->widths[column] ? width : k->widths[column];
	k->is_number[k->n] = is_number;
	k->cells[k->n++] = s;
	return 0;
}

static int keep_row(struct kept *k, struct sonde_sql *q)
{
	char spare[32];
	int r = 0;

	for (size_t i = 0; i < k->columns && r == 0; i++) {
		const struct sonde_sql_value *v = sonde_sql_value_at(q, i);
		struct sonde_bytes text = text_of(v, spare);

		r = keep(k, &text, v->kind == SONDE_SQL_INTEGER || v->kind == SONDE_SQL_REAL);
	}
	return r;
}

static int print_columns(struct sonde_sql *q)
{
	struct kept k = { .columns = sonde_sql_column_count(q) };
	int r = 0;

	k.cells = calloc(k.columns * (ROWS_FOR_WIDTHS + 1), sizeof(*k.cells));
	k.is_number = calloc(k.columns * (ROWS_FOR_WIDTHS + 1), sizeof(*k.is_number));
	k.widths = calloc(k.columns, sizeof(*k.widths));
	if (!k.cells || !k.is_number || !k.widths)
		r = -SONDE_NOMEM;
	for (size_t i = 0; i < k.columns && r == 0; i++) {
		const char *name = sonde_sql_column_name(q, i);
		struct sonde_bytes text = { (const uint8_t *)name, strlen(name) };

		r = keep(&k, &text, false);
	}
	while (r == 0 && (r = sonde_sql_step(q)) > 0) {
		r = keep_row(&k, q);
		if (k.n >= k.columns * ROWS_FOR_WIDTHS)
			put_kept(&k);
	}
	if (r != -SONDE_NOMEM)
		put_kept(&k);
	for (size_t i = 0; i < k.n; i++)
		free(k.cells[i]);
	free(k.cells);
	free(k.is_number);
	free(k.widths);
	return r;
}

static int print_rows(struct sonde_sql *q)
{
	size_t n = sonde_sql_column_count(q);
	int r;

	if (!csv && !json)
		return print_columns(q);
	for (size_t i = 0; csv && i < n; i++) {
		const char *name = sonde_sql_column_name(q, i);
		struct sonde_bytes text = { (const uint8_t *)name, strlen(name) };

		if (i)
			putchar(',');
		put_csv(&text, true);
	}
	if (csv)
		putchar('\n');
	while ((r = sonde_sql_step(q)) > 0) {
		if (csv)
			put_csv_row(q);
		else
			put_json(q);
	}
	return r;
}

/* ---- queries ---- */

static int run_queries(struct sonde_sql *q, const char *text)
{
	int r, status = 0;

	while (!status && (r = sonde_sql_prepare(q, text, &text)) != 0) {
		if (r < 0)
			return say_usage("%s", sonde_sql_error(q)->text);
		r = print_rows(q);
		if (r == -SONDE_NOMEM)
			status = say_out_of_memory();
		else if (r < 0)
			status = say_error(NULL, sonde_sql_error(q));
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		say("cannot write the output");
		status = 1;
	}
	return status;
}

/* The whole standard input; NULL after a message. */
static char *read_queries(void)
{
	size_t n = 0, cap = 4096;
	char *text = malloc(cap), *more;

	while (text) {
		n += fread(text + n, 1, cap - n - 1, stdin);
		if (n + 1 < cap)
			break;
		more = realloc(text, cap *= 2);
		if (!more)
			free(text);
		text = more;
	}
	if (!text)
		say_out_of_memory();
	else
		text[n] = '\0';
	return text;
}

static int ask(struct sonde_sql *q, const struct session *session, const char *query)
{
	struct sonde_query wanted = selection();
	const struct sonde_events_opts opts = { .sz = sizeof(opts), .query = &wanted, .symbols = &symbol_options,
						.inlined = stack_words.inlined,
						.max_stack = stack_limit(stack_words.max_stack),
						.others = session->traces + 1, .nr_others = session->n - 1 };
	size_t failed = 0;
	char *queries = NULL;
	int status = 0;

	if (select_within_all(session->traces, session->n, &wanted, &failed) < 0)
		return say_error(sonde_trace_info(session->traces[failed])->path,
				 sonde_trace_error(session->traces[failed]));
	if (sonde_sql_open(q, session->traces[0], &opts) < 0)
		status = say_error(sonde_sql_error(q)->code == SONDE_UNSUPPORTED ?
				   NULL : sonde_trace_info(session->traces[0])->path, sonde_sql_error(q));
	else if (session->n == 1 && sonde_sql_add_analyses(q, session->traces[0], &wanted) < 0)
		status = say_error(NULL, sonde_sql_error(q));
	if (!status && !strcmp(query, "-")) {
		queries = read_queries();
		if (!queries)
			return 1;
	}
	if (!status)
		status = run_queries(q, queries ? queries : query);
	free(queries);
	for (size_t i = 0; i < session->n && status != 2; i++)
		status |= ledger_print(session->traces[i]);
	return status;
}

static int ask_all(const char *const *paths, size_t n, const char *query)
{
	struct session session = { 0 };
	struct sonde_sql *q = sonde_sql_new();
	int status = q ? session_open_at_once(&session, paths, n) : say_out_of_memory();

	if (q && session.n && !session.out_of_memory)
		status |= ask(q, &session, query);
	sonde_sql_free(q);
	session_close(&session);
	return status & 2 ? 2 : status;
}

static int sql_run(int argc, char **argv)
{
	static const char *const usual[] = { "perf.data" };
	const char *const *paths = (const char *const *)argv;
	const char *query = argc ? argv[argc - 1] : NULL;
	size_t n = argc ? (size_t)argc - 1 : 0;

	symbol_notes_warn_of_lines(&symbol_options);
	if (!query)
		return say_usage("there is no query");
	if (csv && json)
		return say_usage("--csv and --json exclude each other");
	if (inputs.n && n)
		return say_usage("traces with -i or without, not both: '%s'", argv[0]);
	if (!n) {
		paths = inputs.n ? inputs.at : usual;
		n = inputs.n ? inputs.n : 1;
	}
	for (size_t i = 0; i < n; i++)
		if (!strcmp(paths[i], "-") && !strcmp(query, "-"))
			return say_usage("the standard input is either the trace or the queries");
	return ask_all(paths, n, query);
}

static const struct example sql_examples[] = {
	{ "sonde sql 'select function, samples from v_self order by 2 desc limit 10'",
	  "the functions that took most samples" },
	{ "sonde sql trace.dat 'select comm, sum(dur) / 1e6 as ms from v_sched group by 1 order by 2 desc'",
	  "milliseconds of each command on a CPU" },
	{ "sonde sql 'select task, p99 / 1e6 as ms from sched_latency order by 2 desc limit 10'",
	  "the tasks of which a hundredth of all delays was longest" },
	{ 0 },
};

const struct command cmd_sql = {
	.name = "sql",
	.args = "[FILE...] QUERY",
	.help = "ask a trace in SQL",
	.details = "QUERY is one statement or several of SQLite's SQL, - reads them from the standard input. Only "
		   "statements that read are taken, and no file is left behind. Times are nanoseconds since the first "
		   "event; addresses of the kernel are negative integers, which printf('%x', ip) shows.\n"
		   "Several traces have one set of tables, with their times by the clock of the first one. "
		   "Tables are sample, event (the fields of tracepoints as JSON), sched, record, loss, and input, "
		   "source, thread, frame, module and stack, to which they refer. Views are v_sample, v_self, v_total, "
		   "v_stack, v_folded, v_sched, and one for each tracepoint, such as tp_sched_sched_switch. "
		   "Of one trace, analyses are tables, too: sched_timehist, sched_latency. "
		   "docs/events-sql.md has their columns. sonde export --to sqlite writes the same tables to a file.",
	.options = sql_options,
	.examples = sql_examples,
	.prints_a_lot = true,
	.run = sql_run,
};
