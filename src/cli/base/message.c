/* SPDX-License-Identifier: MIT */
#include "cli/base/message.h"

#include <sonde/text.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/command.h"

static char program[64] = "sonde";
static const char *current_command;
static uint64_t memory_limit;

void message_program(const char *path)
{
	const char *name = path ? strrchr(path, '/') : NULL;

	name = name ? name + 1 : path;
	if (!name || !*name)
		return;
	snprintf(program, sizeof(program), "%s", name);
	sonde_text_clean(program, strlen(program));
}

void message_command(const char *name)
{
	current_command = name;
}

void message_memory_limit(uint64_t bytes)
{
	memory_limit = bytes;
}

const char *program_name(void)
{
	return program;
}

/* "PROGRAM COMMAND: KIND: text"; without COMMAND or KIND if it is NULL. */
static void say_as(const char *command, const char *kind, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

static void say_as(const char *command, const char *kind, const char *fmt, va_list ap)
{
	char text[4096];

	vsnprintf(text, sizeof(text), fmt, ap);
	sonde_text_clean(text, strlen(text));  /* file and symbol names come from a trace */
	fflush(stdout);  /* keeps the order where both go to one file */
	fprintf(stderr, "%s%s%s: %s%s%s\n", program, command ? " " : "", command ? command : "", kind ? kind : "",
		kind ? ": " : "", text);
}

void say_done(const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	sonde_text_clean(text, strlen(text));
	fflush(stdout);
	fprintf(stderr, "[ %s %s: %s ]\n", program, current_command, text);
}

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_as(NULL, NULL, fmt, ap);
	va_end(ap);
}

void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_as(NULL, "Warning", fmt, ap);
	va_end(ap);
}

int say_error(const char *path, const struct sonde_error *e)
{
	const char *colon = path ? ": " : "";

	path = path ? path : "";
	if (e->code == SONDE_NOMEM && memory_limit)
		say("%s%s%s: the limit is %" PRIu64 "M, try --max-memory %" PRIu64 "M", path, colon, e->text,
		    memory_limit >> 20, memory_limit >> 19);
	else if (e->file_offset == SONDE_NONE)
		say("%s%s%s", path, colon, e->text);
	else
		say("%s%s%s (at offset 0x%" PRIx64 ")", path, colon, e->text, e->file_offset);
	return 1;
}

int say_out_of_memory(void)
{
	const struct sonde_error e = { .code = SONDE_NOMEM, .file_offset = SONDE_NONE, .text = "out of memory" };

	return say_error(NULL, &e);
}

static int say_where_help_is(void)
{
	fprintf(stderr, "Try '%s help%s%s'.\n", program, current_command ? " " : "",
		current_command ? current_command : "");
	return 2;
}

int say_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_as(current_command, NULL, fmt, ap);
	va_end(ap);
	return say_where_help_is();
}

/* Prints only the message; more follows. */
static void say_message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void say_message(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_as(current_command, NULL, fmt, ap);
	va_end(ap);
}

int say_usage_lines(const char *message, const char *lines)
{
	say_message("%s", message);
	fputs(lines, stderr);
	return say_where_help_is();
}

/* "There are: a, b, c" in lines that fit a terminal. A trace may have any number of event names. */
static void list_known(const char *const *known)
{
	enum { WIDTH = 96, INDENT = 2, MOST = 200 };
	int at = fprintf(stderr, "There are:");
	size_t n = 0;

	for (; known[n] && n < MOST; n++) {
		char word[128];
		int len;

		snprintf(word, sizeof(word), "%s", known[n]);
		sonde_text_clean(word, strlen(word));
		len = (int)strlen(word) + (known[n + 1] ? 2 : 1);
		if (at + len > WIDTH) {
			fprintf(stderr, "\n%*s", INDENT - 1, "");
			at = INDENT - 1;
		}
		fprintf(stderr, " %s%s", word, known[n + 1] ? "," : "");
		at += len;
	}
	fputs(known[n] ? " ...\n" : "\n", stderr);
}

int say_unknown(const char *kind, const char *word, const char *const *known)
{
	struct suggestion s = { .word = word };

	for (size_t i = 0; known[i]; i++)
		suggestion_add(&s, known[i]);
	if (s.best)
		say_message("there is no %s '%s'; did you mean '%s'?", kind, word, s.best);
	else
		say_message("there is no %s '%s'", kind, word);
	if (known[0])
		list_known(known);
	return say_where_help_is();
}

void print_trace_text(const char *text)
{
	char piece[4096];

	for (size_t n; *text; text += n) {
		n = strnlen(text, sizeof(piece));
		memcpy(piece, text, n);
		sonde_text_clean(piece, n);
		fwrite(piece, 1, n, stdout);
	}
}

/* The number of letters to insert, drop or replace to make b of a; SIZE_MAX for words that nobody types. */
static size_t edit_distance(const char *a, const char *b)
{
	enum { LONGEST = 40 };
	size_t la = strlen(a), lb = strlen(b), row[LONGEST + 1];

	if (la > LONGEST || lb > LONGEST)
		return SIZE_MAX;
	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

void suggestion_add(struct suggestion *s, const char *candidate)
{
	const char *colon = strchr(candidate, ':');
	size_t d = edit_distance(s->word, candidate);

	if (colon && !strchr(s->word, ':')) {
		size_t of_tail = edit_distance(s->word, colon + 1);

		d = of_tail < d ? of_tail : d;
	}
	/*
	 * a word with more than one wrong letter and more than a quarter of them wrong is another word; so is a single
	 * other letter
	 */
	if (strlen(s->word) < 3 || d > 1 + strlen(s->word) / 4 || d >= strlen(candidate) ||
	    (s->best && d >= s->distance))
		return;
	s->best = candidate;
	s->distance = d;
}
